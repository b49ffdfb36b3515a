import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanUp, newResult } from '../../lib/run/cleanup/cleanup.js';
import { isClean } from '../../lib/result/completeness.js';
import { LIST_START } from '../../lib/store/bucket-admin.js';
import { AttemptError } from '../../lib/store/s3-error.js';
import { Keyspace } from '../../lib/load/workload/keyspace.js';
import { Reconciliation } from '../../lib/run/cleanup/reconciliation.js';
import { Ledger, ledgerMemory } from '../../lib/load/workload/ledger.js';
import { cases } from '../helpers/cases.js';
import { FakeAdmin } from '../helpers/fake-admin.js';

/** @import { OwnKey } from '../../lib/load/workload/keyspace.js' */

/** @typedef {Record<string, string[]>} KeysByBucket */

const SHARD = { index: 1, count: 3 };

const BUCKETS = ['one', 'two'];
const KEYSPACE = new Keyspace({ runId: 'run-1', prefix: 'benchmark', buckets: BUCKETS });

/** Keys outside and under the run's prefix that the run cannot have written. */
const OUTSIDE = [
  'benchmark/run-1',
  'benchmark/run-10/00000000-0',
  'benchmark/run-2/0badcafe-7',
  'benchmark',
  'other/benchmark/run-1/0badcafe-7',
  'zebra',
];
const UNDER = [
  '',
  '!',
  '0',
  '1',
  '9',
  'a',
  'f',
  'g',
  'preflight',
  'zzz',
  'ä',
  '0badcafe-7',
  'ffffffff-00',
  'a/b/c',
].map((name) => KEYSPACE.keyPrefix + name);

/** A clean-up that had nothing to do. */
const CLEAN = { ...newResult(), left: 0 };

/**
 * @param {readonly number[]} indices
 * @returns {KeysByBucket}
 */
function objectsOf(indices) {
  /** @type {KeysByBucket} */
  const keys = { one: [], two: [] };
  indices.forEach((index) => keys[KEYSPACE.bucketOf(index)].push(KEYSPACE.keyOf(index)));
  return keys;
}

/** @param {number} count */
function upTo(count) {
  return Array.from({ length: count }, (_, index) => index);
}

/**
 * @param {KeysByBucket} one
 * @param {KeysByBucket} other
 * @returns {KeysByBucket}
 */
function together(one, other) {
  return Object.fromEntries(BUCKETS.map((bucket) => [bucket, [...one[bucket], ...other[bucket]]]));
}

/**
 * @param {FakeAdmin} admin
 * @param {object} [choice]
 * @param {(own: OwnKey) => boolean} [choice.owns]
 * @param {boolean} [choice.outcomeUnknown]
 * @param {Reconciliation | null} [choice.reconciliation]
 * @param {Keyspace} [choice.keyspace]
 * @param {(milliseconds: number) => Promise<void>} [choice.wait]
 */
function cleanUpWith(
  admin,
  { owns = () => true, outcomeUnknown = false, reconciliation = null, keyspace = KEYSPACE, wait } = {},
) {
  return cleanUp({
    admin: /** @type {any} */ (admin),
    keyspace,
    owns,
    reconciliation,
    versioned: new Set(),
    retry: (request) => request(),
    outcomeUnknown,
    wait: wait ?? (() => assert.fail('no reason to wait')),
  });
}

test('removes all objects of a run, according to the store’s own count', async () => {
  const admin = new FakeAdmin(objectsOf(upTo(500)));
  const result = await cleanUpWith(admin);
  assert.deepEqual(result, { ...CLEAN, removed: 500 });
  assert.deepEqual(
    BUCKETS.flatMap((bucket) => admin.keysOf(bucket)),
    [],
  );
});

test('Row 30: foreign objects outside and under the prefix stay, and those under it are counted', async () => {
  const foreign = { one: [...OUTSIDE, ...UNDER], two: [...UNDER] };
  const admin = new FakeAdmin(together(objectsOf(upTo(100)), foreign));
  const result = await cleanUpWith(admin);
  assert.deepEqual(result, { ...CLEAN, removed: 100, foreign: 2 * UNDER.length });
  for (const bucket of BUCKETS) {
    assert.deepEqual(admin.keysOf(bucket), [...new Set(foreign[/** @type {'one' | 'two'} */ (bucket)])].sort());
  }
});

test('a key of the run in a bucket where no order of the buckets puts it stays, and counts as foreign', async () => {
  const [key, bucket] = [KEYSPACE.keyOf(5), KEYSPACE.bucketOf(5)];
  const wrong = bucket === 'one' ? 'two' : 'one';
  const admin = new FakeAdmin({ [bucket]: [key], [wrong]: [key] });
  assert.deepEqual(await cleanUpWith(admin), { ...CLEAN, removed: 1, foreign: 1 });
  assert.deepEqual([admin.keysOf(bucket), admin.keysOf(wrong)], [[], [key]]);
});

test('Row 34: if the buckets are in another order, removes the objects in the order of the run, and only them', async () => {
  const written = ['c', 'a', 'd', 'b'];
  const run = new Keyspace({ runId: 'run-1', prefix: 'benchmark', buckets: written });
  const keys = Object.fromEntries(written.map((bucket) => [bucket, [...UNDER]]));
  upTo(400).forEach((index) => keys[run.bucketOf(index)].push(run.keyOf(index)));
  const keyspace = new Keyspace({ runId: 'run-1', prefix: 'benchmark', buckets: written.toSorted() });
  const admin = new FakeAdmin(keys);
  assert.deepEqual(await cleanUpWith(admin, { keyspace }), { ...CLEAN, removed: 400, foreign: 4 * UNDER.length });
  for (const bucket of written) {
    assert.deepEqual(admin.keysOf(bucket), UNDER.toSorted());
  }
});

test('reports a bucket of the run that was not given, and its place in the order', async () => {
  const run = new Keyspace({ runId: 'run-1', prefix: 'benchmark', buckets: ['one', 'another', 'two'] });
  /** @type {KeysByBucket} */
  const keys = { one: [], two: [], another: [] };
  upTo(200).forEach((index) => keys[run.bucketOf(index)].push(run.keyOf(index)));
  const result = await cleanUpWith(new FakeAdmin(keys));
  assert.deepEqual(result.otherBuckets, ['one', null, 'two']);
  assert.ok(!isClean(result));
});

test('does not report objects of another shard in another order of buckets', async () => {
  const keyspace = new Keyspace({ runId: 'run-1', prefix: 'benchmark', buckets: [...BUCKETS].reverse() });
  const admin = new FakeAdmin(objectsOf(upTo(100).filter((index) => index % 3 === 0)));
  const result = await cleanUpWith(admin, { keyspace, owns: ({ index }) => index % 3 === 1 });
  assert.deepEqual(result, CLEAN);
});

test('removes more objects than fit a page and a batch, range by range', async () => {
  const objects = 40_000;
  for (const pageLength of [1000, 5000]) {
    const admin = new FakeAdmin(objectsOf(upTo(objects)), { pageLength });
    const result = await cleanUpWith(admin);
    assert.deepEqual([result.removed, result.left], [objects, 0]);
    assert.equal(admin.maxBatchSize, 1000, `pages of ${pageLength}`);
    assert.ok(admin.maxLists > 1 && admin.maxLists <= 8, `${admin.maxLists} at a time`);
  }
});

test('lists one page of each bucket and then one page of each remaining range, up to the end of the range', async () => {
  const pageLength = 100;
  const admin = new FakeAdmin(objectsOf(upTo(500)), { pageLength });
  await cleanUpWith(admin, { owns: () => false });
  const first = BUCKETS.flatMap((bucket) => admin.keysOf(bucket)[pageLength - 1].slice(KEYSPACE.keyPrefix.length)[0]);
  const ranges = first.map((digit) => 16 - parseInt(digit, 16));
  assert.equal(admin.lists, BUCKETS.length + ranges[0] + ranges[1]);
});

test('one page per bucket shows that nothing is left', async () => {
  const admin = new FakeAdmin({ one: [...OUTSIDE], two: [] });
  assert.deepEqual(await cleanUpWith(admin), CLEAN);
  assert.equal(admin.lists, BUCKETS.length);
});

for (const outcomeUnknown of [false, true]) {
  test(`Row 44: objects that a store still lists after confirming their deletion count as left${outcomeUnknown ? ', however often they are listed' : ''}`, async () => {
    const admin = new FakeAdmin(objectsOf(upTo(1500)));
    const deleted = new Map();
    admin.deleteBatch = async (_bucket, keys) => {
      keys.forEach((key) => deleted.set(key, (deleted.get(key) ?? 0) + 1));
      return [];
    };
    const result = await cleanUpWith(admin, { outcomeUnknown, wait: async () => {} });
    assert.deepEqual(result, { ...CLEAN, left: 1500 });
    assert.deepEqual([...new Set(deleted.values())], [outcomeUnknown ? 4 : 2]);
  });
}

test('Row 58: a batch that takes longer than its deadline is halved, and what was removed is counted', async () => {
  const admin = new FakeAdmin(objectsOf(upTo(200)));
  const deleteBatch = admin.deleteBatch.bind(admin);
  /** @type {number[]} */
  const sizes = [];
  admin.deleteBatch = async (bucket, keys) => {
    sizes.push(keys.length);
    if (keys.length > 30) {
      throw new AttemptError({ kind: 'timeout', handling: 'retry', message: 'no complete response' });
    }
    return deleteBatch(bucket, keys);
  };
  assert.deepEqual(await cleanUpWith(admin), { ...CLEAN, removed: 200 });
  assert.ok(Math.max(...sizes) > 30 && sizes.filter((size) => size <= 30).length > 1, sizes.join());
});

test('Row 44: an object that needs a second deletion counts once', async () => {
  const admin = new FakeAdmin(objectsOf(upTo(200)));
  const deleteBatch = admin.deleteBatch.bind(admin);
  const falselyConfirmed = new Set();
  admin.deleteBatch = async (bucket, keys) => {
    const others = keys.filter((key) => falselyConfirmed.has(key));
    keys.forEach((key) => falselyConfirmed.add(key));
    return others.length === 0 ? [] : deleteBatch(bucket, others);
  };
  assert.deepEqual(await cleanUpWith(admin), { ...CLEAN, removed: 200 });
});

test('late writes during clean-up count as removed', async () => {
  const admin = new FakeAdmin(objectsOf(upTo(10)));
  const deleteBatch = admin.deleteBatch.bind(admin);
  admin.deleteBatch = async (bucket, keys) => {
    if (keys.includes(KEYSPACE.keyOf(3))) {
      upTo(5).forEach((index) => admin.plant(KEYSPACE.bucketOf(20 + index), KEYSPACE.keyOf(20 + index)));
    }
    return deleteBatch(bucket, keys);
  };
  const result = await cleanUpWith(admin, { outcomeUnknown: true, wait: async () => {} });
  assert.deepEqual(result, { ...CLEAN, removed: 15 });
});

test('Row 44: leftovers of very many objects do not count as removed, either', async () => {
  const objects = 100_500;
  const admin = new FakeAdmin(objectsOf(upTo(objects)), { pageLength: objects });
  admin.deleteBatch = async () => [];
  assert.deepEqual(await cleanUpWith(admin), { ...CLEAN, left: objects });
});

test('Row 46: gives up on an endless list of foreign keys in any range', async () => {
  for (const digit of ['!', '7', 'z']) {
    const admin = new FakeAdmin(objectsOf(upTo(3)));
    let pages = 0;
    admin.listPage = async (_bucket, prefix) => {
      pages += 1;
      const key = `${prefix}${digit}${String(pages).padStart(9, '0')}`;
      return { objects: [{ key, size: 1, modifiedAt: 0 }], next: { after: key, input: {} } };
    };
    const { left, problems } = await cleanUpWith(admin);
    assert.equal(left, -1);
    assert.match(problems[0], /^the list of bucket (one|two) continues after 100 pages in a row without anything/);
    // Eight lists at once.
    assert.ok(pages < 900, `${pages} pages`);
  }
});

test('Row 50: a store that ignores start-after has no keys that clean-up does not find', async () => {
  const objects = 40_000;
  const admin = new FakeAdmin(together(objectsOf(upTo(objects)), { one: UNDER, two: [] }), {
    honoursStartAfter: false,
  });
  const result = await cleanUpWith(admin);
  assert.deepEqual(result, { ...CLEAN, removed: objects, foreign: UNDER.length });
  assert.ok(admin.lists < (4 * objects) / 1000, `${admin.lists} lists`);
});

for (const status of [400, 405, 501]) {
  test(`Row 50: a store that answers batches with ${status} deletes the objects one by one`, async () => {
    const admin = new FakeAdmin(objectsOf(upTo(300)));
    admin.deleteBatch = () =>
      Promise.reject(new AttemptError({ kind: 'client-error', handling: 'fail', message: `HTTP ${status}`, status }));
    assert.deepEqual(await cleanUpWith(admin), { ...CLEAN, removed: 300 });
    assert.deepEqual([admin.keysOf('one'), admin.keysOf('two')], [[], []]);
  });
}

test('walks pages of any length to their end', async () => {
  for (const pageLength of [1, 2, 7, 5000]) {
    const admin = new FakeAdmin(together(objectsOf(upTo(300)), { one: UNDER, two: [] }), { pageLength });
    const result = await cleanUpWith(admin);
    assert.deepEqual([result.removed, result.left, result.foreign], [300, 0, UNDER.length], `pages of ${pageLength}`);
    assert.ok(admin.maxBatchSize <= 1000);
  }
});

test('the objects of another shard stay, and count neither as left nor as foreign', async () => {
  const admin = new FakeAdmin(objectsOf(upTo(100)));
  const result = await cleanUpWith(admin, { owns: ({ index }) => index % 4 === 1 });
  assert.deepEqual(result, { ...CLEAN, removed: 25 });
  assert.equal(BUCKETS.flatMap((bucket) => admin.keysOf(bucket)).length, 75);
});

test('removes probes together with the run’s objects, but not those of another shard', async () => {
  /** @type {KeysByBucket} */
  const probes = { one: [], two: [] };
  upTo(40).forEach((index) => probes[KEYSPACE.bucketOf(index)].push(KEYSPACE.probeKeyOf(index)));
  const admin = new FakeAdmin(together(objectsOf(upTo(40)), probes));
  const ofShard = await cleanUpWith(admin, { owns: ({ index }) => index % 4 === 1 });
  assert.deepEqual(ofShard, { ...CLEAN, removed: 20 });
  assert.deepEqual(await cleanUpWith(admin), { ...CLEAN, removed: 60 });
});

test('removes exactly the run’s own objects, whatever else the store contains', async () => {
  const name = fc.oneof(fc.string({ maxLength: 20 }), fc.stringMatching(/^[0-9a-f]{8}-[0-9]{1,3}$/));
  const foreignKey = fc.oneof(
    name.map((text) => KEYSPACE.keyPrefix + text),
    name,
  );
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.nat(2000), { maxLength: 60 }),
      fc.array(foreignKey, { maxLength: 20 }),
      fc.integer({ min: 1, max: 20 }),
      fc.boolean(),
      async (indices, others, pageLength, honoursStartAfter) => {
        const foreign = others.filter((key) => BUCKETS.every((bucket) => KEYSPACE.indexOf(bucket, key) < 0));
        const admin = new FakeAdmin(together(objectsOf(indices), { one: foreign, two: [] }), {
          pageLength,
          honoursStartAfter,
        });
        const result = await cleanUpWith(admin);
        assert.deepEqual(admin.keysOf('one'), [...new Set(foreign)].sort());
        assert.deepEqual(admin.keysOf('two'), []);
        assert.equal(result.removed, indices.length);
        assert.equal(result.left, 0);
        const under = [...new Set(foreign)].filter((key) => key.startsWith(KEYSPACE.keyPrefix));
        assert.equal(result.foreign, under.length);
      },
    ),
    { numRuns: cases(40) },
  );
});

test('reports what the store does not delete, and counts it as left', async () => {
  const locked = KEYSPACE.keyOf(3);
  const admin = new FakeAdmin(objectsOf(upTo(10)), { refuse: (keys) => keys.filter((key) => key === locked) });
  const result = await cleanUpWith(admin);
  assert.deepEqual(result, { ...CLEAN, removed: 9, left: 1, problems: [`${locked}: AccessDenied Locked.`] });
});

test('waits for writes with an unknown outcome, and then looks again', async () => {
  const admin = new FakeAdmin(objectsOf(upTo(10)));
  /** @type {number[]} */
  const waits = [];
  const result = await cleanUpWith(admin, {
    outcomeUnknown: true,
    wait: async (milliseconds) => {
      waits.push(milliseconds);
      assert.deepEqual(admin.keysOf(KEYSPACE.bucketOf(20)), []);
      admin.plant(KEYSPACE.bucketOf(20), KEYSPACE.keyOf(20));
    },
  });
  assert.deepEqual(waits, [2000]);
  assert.deepEqual([result.removed, result.left], [11, 0]);
});

for (const failing of /** @type {const} */ (['list', 'delete'])) {
  test(`a ${failing} that keeps failing is a problem, and the number of remaining objects is unknown`, async () => {
    const admin = new FakeAdmin(objectsOf(upTo(10)), {
      before: (request) => {
        if (request === failing) {
          throw new AttemptError({ kind: 'denied', handling: 'stop', message: 'HTTP 403 AccessDenied' });
        }
      },
    });
    const result = await cleanUpWith(admin);
    assert.deepEqual([result.left, result.problems], [-1, ['HTTP 403 AccessDenied']]);
  });
}

test('each request goes through the retry policy', async () => {
  let failures = 0;
  const admin = new FakeAdmin(objectsOf(upTo(50)), {
    before: () => {
      failures += 1;
      if (failures % 2 === 1) {
        throw new AttemptError({ kind: 'throttled', handling: 'retry', message: 'HTTP 503' });
      }
    },
  });
  const result = await cleanUp({
    admin: /** @type {any} */ (admin),
    keyspace: KEYSPACE,
    owns: () => true,
    reconciliation: null,
    versioned: new Set(),
    async retry(request) {
      for (;;) {
        try {
          return await request();
        } catch (error) {
          assert.ok(error instanceof AttemptError);
        }
      }
    },
    outcomeUnknown: false,
    wait: async () => {},
  });
  assert.deepEqual([result.left, result.problems], [0, []]);
});

test('throws an unexpected error', async () => {
  const error = new TypeError('a mistake of ours');
  const admin = new FakeAdmin(objectsOf([1]), {
    before: () => {
      throw error;
    },
  });
  await assert.rejects(cleanUpWith(admin), error);
});

test('an empty page that is not the last does not prove that nothing is left', async () => {
  const admin = new FakeAdmin(objectsOf(upTo(3)));
  admin.listPage = async () => ({ objects: [], next: LIST_START });
  const { left, problems } = await cleanUpWith(admin);
  assert.equal(left, -1);
  assert.match(
    problems.join('\n'),
    /^the list of bucket (one|two) continues after 100 pages in a row without anything relevant/,
  );
});

/**
 * @param {readonly number[]} indices of a shard's objects that Write knows to be there
 * @param {readonly number[]} [removed] indices of those that were removed since
 */
function ledgerOf(indices, removed = []) {
  const ledger = new Ledger(ledgerMemory(4000));
  [...indices, ...removed].forEach((index) => ledger.add(Math.floor(index / SHARD.count), 7));
  removed.forEach((index) => ledger.delete(Math.floor(index / SHARD.count)));
  const sizeOf = (/** @type {number} */ index) => KEYSPACE.keyOf(index).length;
  const [keyspace, wait, random] = [KEYSPACE, async () => {}, () => 0.5];
  return new Reconciliation({ keyspace, shard: SHARD, sizeOf, ledger, copies: null, random, wait });
}

/** @param {number} count */
function indicesOfShard(count) {
  return Array.from({ length: count }, (_, local) => local * SHARD.count + SHARD.index);
}

test('Row 36: asks by key for objects that no list shows, removes and reports them', async () => {
  const indices = indicesOfShard(40);
  const hidden = new Set(indices.slice(0, 15).map((index) => KEYSPACE.keyOf(index)));
  const admin = new FakeAdmin(objectsOf(indices), { hides: (key) => hidden.has(key) });
  const reconciliation = ledgerOf(indices);
  const result = await cleanUpWith(admin, { reconciliation });
  assert.deepEqual([result.removed, result.left], [25, 0], 'those that a list showed');
  assert.deepEqual(reconciliation.sentences('!'), ['the store made 15 objects that it does not list!']);
  assert.deepEqual([admin.keysOf('one'), admin.keysOf('two')], [[], []]);
  assert.equal(admin.questions, 15 + 15, 'each is asked for before and after');
});

test('objects that are neither listed nor there were never stored', async () => {
  const indices = indicesOfShard(40);
  const admin = new FakeAdmin(objectsOf(indices.slice(10)));
  const reconciliation = ledgerOf(indices);
  const result = await cleanUpWith(admin, { reconciliation });
  assert.deepEqual(result, { ...CLEAN, removed: 30 });
  assert.deepEqual(reconciliation.sentences(''), ['the store confirmed 10 writes that it does not have']);
});

test('objects that are still there were never removed', async () => {
  const indices = indicesOfShard(40);
  const admin = new FakeAdmin(objectsOf(indices));
  const reconciliation = ledgerOf(indices.slice(1), indices.slice(0, 1));
  const result = await cleanUpWith(admin, { reconciliation });
  assert.deepEqual(result, { ...CLEAN, removed: 40 });
  assert.deepEqual(reconciliation.sentences(''), ['the store confirmed 1 delete that it did not carry out']);
});

test('Row 36: asks for a sample of many objects that no list shows, and removes all of them', async () => {
  const indices = indicesOfShard(4000);
  const admin = new FakeAdmin(objectsOf(indices), { hides: () => true });
  const reconciliation = ledgerOf(indices);
  await cleanUpWith(admin, { reconciliation });
  assert.deepEqual(reconciliation.sentences(''), ['the store made 4,000 objects that it does not list']);
  assert.deepEqual([admin.keysOf('one'), admin.keysOf('two')], [[], []]);
  assert.deepEqual([admin.maxBatchSize, admin.questions], [1000, 2000]);
});

test('Row 36: unlisted objects that cannot be removed count as left', async () => {
  const indices = indicesOfShard(5);
  const locked = KEYSPACE.keyOf(indices[2]);
  const admin = new FakeAdmin(objectsOf(indices), {
    hides: () => true,
    refuse: (keys) => keys.filter((key) => key === locked),
  });
  const result = await cleanUpWith(admin, { reconciliation: ledgerOf(indices) });
  assert.equal(result.left, 1);
  assert.ok(!isClean(result));
});
