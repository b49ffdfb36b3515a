import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureUnloaded } from '../../lib/run/unloaded-latency.js';
import { openRun } from '../../lib/run/open-run.js';
import { Clock } from '../../lib/meter/clock.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { runConfig } from '../helpers/run-config.js';

const TIME_LIMIT = { timeout: 30_000 };
const NEVER = new AbortController().signal;

/**
 * @param {import('node:test').TestContext} t
 * @param {Partial<import('../../lib/run/run-config.js').RunConfig>} [overrides]
 * @param {string} [faults]
 */
async function open(t, overrides = {}, faults = '') {
  const endpoint = await startTestEndpoint(t, { faults });
  const config = runConfig(endpoint, overrides);
  const run = await openRun(config, { clock: new Clock(), random: () => 0 });
  t.after(() => run.close());
  const keys = async () => (await Promise.all(endpoint.buckets.map((bucket) => endpoint.list(bucket)))).flat();
  return { endpoint, config, run, keys };
}

test('each stage’s operation is measured by itself, on objects that are gone afterwards', TIME_LIMIT, async (t) => {
  const { run, config, keys, endpoint } = await open(t, {}, 'latency=5ms');
  const latencies = await measureUnloaded(run, config, NEVER);
  assert.deepEqual([...latencies.keys()], ['write', 'read', 'stat', 'remove']);
  for (const { count, p50 } of latencies.values()) {
    assert.equal(count, 20);
    assert.ok(p50 >= 5, String(p50));
  }
  assert.deepEqual(await keys(), []);
  assert.equal(run.reserved.size, 0);
  assert.equal(run.written.count, 0);
  assert.equal(run.requests.probe, 100);
  const { requests } = await endpoint.report();
  assert.deepEqual(
    [requests.PUT, requests.GET, requests.HEAD, requests.DELETE].map(({ succeeded }) => succeeded),
    [25, 25, 25, 25],
  );
});

test('what is written to be measured is removed, also where no stage would', TIME_LIMIT, async (t) => {
  const { run, config, keys } = await open(t, { stages: ['write'], keep: true });
  assert.deepEqual([...(await measureUnloaded(run, config, NEVER)).keys()], ['write']);
  assert.deepEqual(await keys(), []);
});

test('a run that does not write looks at its own objects, and removes none', TIME_LIMIT, async (t) => {
  const { run, config, keys, endpoint } = await open(t, { stages: ['read', 'stat', 'remove'], objects: 30 });
  for (let index = 0; index < 30; index++) {
    await endpoint.put(run.keyspace.bucketOf(index), run.keyspace.keyOf(index), Buffer.alloc(1000));
  }
  assert.deepEqual([...(await measureUnloaded(run, config, NEVER)).keys()], ['read', 'stat']);
  assert.equal((await keys()).length, 30);
});

test('where the operations fail nothing is known, and what may be there is remembered', TIME_LIMIT, async (t) => {
  const { run, config } = await open(t, { retries: 0 }, 'PUT.lost=100%,DELETE.status=500:100%');
  const latencies = await measureUnloaded(run, config, NEVER);
  assert.equal(latencies.get('write'), undefined);
  assert.ok(run.reserved.size > 0);
});

test('a run that is stopped measures nothing more', TIME_LIMIT, async (t) => {
  const { run, config, keys } = await open(t);
  assert.equal((await measureUnloaded(run, config, AbortSignal.abort())).size, 0);
  assert.deepEqual(await keys(), []);
});
