import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findExistingObjects } from '../../lib/run/preflight/existing-objects.js';
import { AttemptError } from '../../lib/store/s3-error.js';
import { Keyspace, WHOLE } from '../../lib/load/workload/keyspace.js';
import { objectSizes } from '../../lib/load/workload/size-distribution.js';
import { FakeAdmin } from '../helpers/fake-admin.js';

/**
 * @import { Shard } from '../../lib/result/config.js'
 * @import { Overrides } from '../helpers/run-config.js'
 */

/**
 * @param {number} count
 * @param {(index: number) => boolean} [exists]
 */
function storeOf(count, exists = () => true, buckets = ['one', 'two']) {
  const keyspace = new Keyspace({ runId: 'run-1', prefix: 'benchmark', buckets });
  /** @type {Record<string, string[]>} */
  const keys = Object.fromEntries(buckets.map((bucket) => [bucket, []]));
  for (let index = 0; index < count; index++) {
    if (exists(index)) {
      keys[keyspace.bucketOf(index)].push(keyspace.keyOf(index));
    }
  }
  return { keyspace, keys };
}

/**
 * @param {FakeAdmin} admin
 * @param {Keyspace} keyspace
 * @param {Shard} [shard]
 * @param {Overrides} [sizes]
 */
function find(admin, keyspace, shard = WHOLE, sizes = {}) {
  const access = { admin: /** @type {any} */ (admin), retry: (/** @type {() => any} */ request) => request() };
  return findExistingObjects(keyspace, { runId: 'run-1', shard, size: 1000, ...sizes }, access);
}

test('Row 32: counts the objects of the shard, and not those of other shards', async () => {
  const { keyspace, keys } = storeOf(90, (index) => index % 3 !== 1);
  keys.one.push(`${keyspace.keyPrefix}notes.txt`);
  const counts = [0, 1, 2].map(async (index) => (await find(new FakeAdmin(keys), keyspace, { index, count: 3 })).count);
  assert.deepEqual(await Promise.all(counts), [30, 0, 30]);
  const whole = await find(new FakeAdmin(keys), keyspace);
  assert.deepEqual([whole.count, whole.isWhole, whole.unlisted.size], [60, true, 0]);
});

test('Row 32: reads at most ten pages, and reports that there may be more', async () => {
  for (const buckets of [['one'], ['one', 'two', 'three']]) {
    const { keyspace, keys } = storeOf(120, undefined, buckets);
    const admin = new FakeAdmin(keys, { pageLength: 5 });
    const { isWhole, count } = await find(admin, keyspace, { index: 0, count: 4 });
    assert.ok(admin.lists >= 9 && admin.lists <= 10, `${admin.lists} pages`);
    assert.equal(isWhole, false);
    assert.ok(count > 0 && count < 30);
  }
});

test('looks into each bucket, however many there are', async () => {
  const buckets = Array.from({ length: 25 }, (_, place) => `bucket-${place}`);
  const { keyspace, keys } = storeOf(25, undefined, buckets);
  const admin = new FakeAdmin(keys);
  const { count, isWhole } = await find(admin, keyspace);
  assert.deepEqual([count, isWhole, admin.lists], [25, true, 25]);
});

test('objects that do not have one size are not readable', async () => {
  const { keyspace, keys } = storeOf(40);
  const admin = new FakeAdmin(keys);
  const sizesOf = (/** @type {string} */ another) => {
    admin.listPage = async (bucket) => ({
      objects: keys[bucket].map((key) => ({ key, size: key === another ? 50 : 100, modifiedAt: 0 })),
      next: null,
    });
    return find(admin, keyspace);
  };
  assert.equal((await sizesOf(keyspace.keyOf(30))).readable, null);
  assert.deepEqual((await sizesOf('none')).readable, { count: 40, size: 100 });
  assert.deepEqual((await find(admin, keyspace, { index: 1, count: 2 })).readable, { count: 20, size: 100 });
});

/** @param {ConstructorParameters<typeof FakeAdmin>} parameters */
function adminOfOneSize(...parameters) {
  const admin = new FakeAdmin(...parameters);
  const { listPage } = admin;
  admin.listPage = async (...range) => {
    const { objects, next } = await listPage.apply(admin, range);
    return { objects: objects.map((object) => ({ ...object, size: 100 })), next };
  };
  return admin;
}

test('objects of several sizes are readable with the size distribution that they were written with', async () => {
  const { keyspace, keys } = storeOf(40);
  const sizes = /** @type {const} */ ({ kind: 'log-uniform', min: 10, max: 100 });
  const sizeOf = objectSizes({ runId: 'run-1', size: 100, sizes });
  const admin = new FakeAdmin(keys);
  admin.listPage = async (bucket) => ({
    objects: keys[bucket].map((key) => ({ key, size: sizeOf(keyspace.indexOf(bucket, key)), modifiedAt: 0 })),
    next: null,
  });
  const readable = async (/** @type {Overrides} */ config) => (await find(admin, keyspace, undefined, config)).readable;
  assert.deepEqual(await readable({ size: 100, sizes }), { count: 40, size: 100, sizes });
  assert.equal(await readable({ size: 100, sizes: { ...sizes, min: 1 } }), null);
  assert.equal(await readable({ size: 100 }), null);
});

test('if some objects are missing, no run can read them', async () => {
  const { keyspace, keys } = storeOf(40, (index) => index % 2 === 0);
  assert.equal((await find(adminOfOneSize(keys), keyspace)).readable, null);
  const ofOneHost = await find(adminOfOneSize(keys), keyspace, { index: 0, count: 2 });
  assert.equal(ofOneHost.readable?.count, 20);
  const cut = await find(adminOfOneSize(keys, { pageLength: 1 }), keyspace);
  assert.equal(cut.isWhole, false);
  assert.ok(Number(cut.readable?.count) > cut.count, 'missing objects may be on unread pages');
});

test('a bucket that cannot be listed does not affect the others', async () => {
  const { keyspace, keys } = storeOf(20);
  const admin = new FakeAdmin(keys);
  const { listPage } = admin;
  const denied = new AttemptError({ kind: 'denied', handling: 'stop', message: 'HTTP 403' });
  admin.listPage = async (bucket, prefix, from) => {
    if (bucket === 'one') {
      throw denied;
    }
    return listPage.call(admin, bucket, prefix, from);
  };
  const { count, unlisted } = await find(admin, keyspace);
  assert.deepEqual([count, [...unlisted]], [keys.two.length, [['one', denied]]]);
  admin.listPage = () => Promise.reject(new TypeError('a mistake of ours'));
  await assert.rejects(find(admin, keyspace), TypeError);
});
