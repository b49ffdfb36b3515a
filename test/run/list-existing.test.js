import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import { listExisting } from '../../lib/run/preflight/existing-objects.js';
import { openRun } from '../../lib/run/open-run.js';
import { shardOf } from '../../lib/load/workload/listed-objects.js';
import { globalIndex } from '../../lib/load/workload/shard.js';
import { Clock } from '../../lib/measure/clock/clock.js';
import { startFaultProxy } from '../helpers/fault-proxy.js';
import { sdkClient, startTestEndpoint } from '../helpers/local-s3.js';
import { runConfig } from '../helpers/run-config.js';
import { STRANGE_KEYS, STRANGER_KEYS } from '../helpers/strange-keys.js';

/**
 * @import { Overrides } from '../helpers/run-config.js'
 * @import { TestContext } from 'node:test'
 */

/**
 * An endpoint with objects, and a function to list them.
 *
 * @param {TestContext} t
 * @param {readonly (readonly string[])[]} buckets the keys of each
 */
async function filled(t, buckets) {
  const names = buckets.map((_, slot) => `bucket-${slot}`);
  const endpoint = await startTestEndpoint(t, { buckets: names });
  const client = sdkClient(t, endpoint);
  for (const [slot, keys] of buckets.entries()) {
    await Promise.all(keys.map((key) => endpoint.put(names[slot], key, Buffer.from(`body of ${key}`))));
  }
  return {
    endpoint,
    client,
    /** @param {Overrides} overrides */
    async list(overrides) {
      const existing = '';
      const config = runConfig(endpoint, { stages: ['read'], existing, objects: 10_000, ...overrides });
      const run = await openRun(config, { clock: new Clock(), random: () => 0.5 });
      t.after(() => run.close());
      const signal = new AbortController().signal;
      const outcome = await listExisting(run, config, config.objects.existing ?? '', signal, () => {});
      const { listed } = outcome;
      const locals = Array.from({ length: listed?.count ?? 0 }, (_, local) => globalIndex(config.objects.shard, local));
      return {
        ...outcome,
        requests: run.requests,
        keys: locals.map((index) => `${listed?.slotOf(index)} ${listed?.keyOf(index)}`),
      };
    },
  };
}

test('keys with any characters are returned unchanged, in byte order', async (t) => {
  const keys = [...STRANGE_KEYS, ...STRANGER_KEYS];
  const { list } = await filled(t, [keys]);
  const sorted = keys.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  const { keys: listedKeys, listed, notices } = await list({});
  assert.deepEqual(
    listedKeys,
    sorted.map((key) => `0 ${key}`),
  );
  assert.equal(listed?.sizeOf(0), Buffer.byteLength(`body of ${sorted[0]}`));
  assert.deepEqual(notices, [`Listed everything in bucket-0: ${keys.length} objects, and there are no more`]);
});

test('only keys with the prefix are listed', async (t) => {
  const { list } = await filled(t, [['a/1', 'a/2', 'ab', 'b/1']]);
  assert.deepEqual((await list({ existing: 'a/' })).keys, ['0 a/1', '0 a/2']);
  const { problems, listed } = await list({ existing: 'c' });
  assert.equal(listed, null);
  assert.match(problems[0], /^--existing: listing "c" in bucket-0 found no objects, expected a prefix/);
});

test('lists buckets only as far as needed, and further if others have too few objects', async (t) => {
  const many = Array.from({ length: 2300 }, (_, place) => `key-${String(place).padStart(5, '0')}`);
  const { list } = await filled(t, [many, ['only one'], many]);
  const few = await list({ objects: 4 });
  assert.deepEqual(few.keys, ['0 key-00000', '1 only one', '2 key-00000', '0 key-00001']);
  assert.equal(few.requests.preflight, 3);
  const more = await list({ objects: 2100 });
  assert.equal(more.keys.length, 2100);
  assert.equal(more.keys.at(-1), '0 key-01049');
  assert.equal(more.requests.preflight, 5);
  assert.equal((await list({ objects: 1_000_000 })).keys.length, 4601);
});

test('shards have disjoint objects that cover everything, even if some objects come and go between their lists', async (t) => {
  const keys = Array.from({ length: 400 }, (_, place) => `key-${place}`);
  const { list, client, endpoint } = await filled(t, [keys]);
  const first = await list({ shard: { index: 0, count: 2 } });
  await endpoint.put('bucket-0', '0 comes before all', Buffer.alloc(0));
  await client.send(new DeleteObjectCommand({ Bucket: 'bucket-0', Key: first.keys[0].slice(2) }));
  const second = await list({ shard: { index: 1, count: 2 } });
  const both = [...first.keys, ...second.keys].filter((key) => key !== '0 0 comes before all');
  assert.deepEqual(both.toSorted(), keys.map((key) => `0 ${key}`).toSorted());
});

test('a list whose keys look encoded, without saying so, is named before the stages miss the objects', async (t) => {
  const { endpoint, list } = await filled(t, [['a b/100%25']]);
  const proxy = await startFaultProxy(t, endpoint, async (exchange) => {
    const { body, ...answer } = await exchange.forward();
    const silent = Buffer.from(body.toString().replace(/<EncodingType>.*?<\/EncodingType>/, ''));
    exchange.respond({ ...answer, headers: ['content-type', 'application/xml'], body: silent });
  });
  const { store } = runConfig(endpoint);
  const [, notice] = (await list({ store: { ...store, port: proxy.port } })).notices;
  assert.match(notice, /^Listed keys with codes such as %20: .* encodes names in its lists without saying so$/);
  assert.equal((await list({})).notices.length, 1, 'a list that says so is decoded');
});

test('a bucket that cannot be listed is reported with advice', async (t) => {
  const { endpoint, list } = await filled(t, [['a'], ['b']]);
  const store = runConfig(endpoint).store;
  const absent = await list({ store: { ...store, buckets: ['bucket-0', 'absent'] } });
  assert.match(absent.problems[0], /^list failed because there is no bucket "absent" on /);
  const denied = await list({ store: { ...store, credentials: { accessKeyId: 'x', secretAccessKey: 'y' } } });
  assert.match(denied.problems[0], /^list in bucket "bucket-\d" was refused/);
  assert.equal(denied.isTransient, false);
});

test('Row 46: gives up on a list that continues forever without an object of the shard', async (t) => {
  const endpoint = await startTestEndpoint(t, { buckets: ['bucket-0'] });
  const shard = { index: 0, count: 2 };
  let number = 0;
  const proxy = await startFaultProxy(t, endpoint, (exchange) => {
    do {
      number += 1;
    } while (shardOf('bucket-0', String(1e9 + number), shard.count) === shard.index);
    return exchange.listOneMore(String(1e9 + number));
  });
  const target = { ...endpoint, port: proxy.port };
  const config = runConfig(target, { stages: ['read'], objects: 10, shard, existing: '' });
  const run = await openRun(config, { clock: new Clock(), random: () => 0.5 });
  t.after(() => run.close());
  const { listed, problems } = await listExisting(run, config, '', new AbortController().signal, () => {});
  assert.equal(listed, null);
  assert.match(problems[0], /the list of bucket bucket-0 continues after 100 pages in a row/);
});
