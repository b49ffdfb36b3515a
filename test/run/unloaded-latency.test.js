import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACTIONS } from '../../lib/run/object-requests.js';
import { measureUnloaded } from '../../lib/run/unloaded-latency.js';
import { openRun } from '../../lib/run/open-run.js';
import { Clock } from '../../lib/meter/clock.js';
import { classifyAnswer } from '../../lib/s3/s3-error.js';
import { fakeEngine } from '../helpers/fake-store.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { ManualClock } from '../helpers/manual-clock.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';

/** @typedef {import('../helpers/fake-store.js').FakeRequest} FakeRequest */

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

/**
 * Measures over a store that a test plays.
 *
 * @param {(request: FakeRequest) => unknown} answer
 * @param {object} [choice]
 * @param {Clock} [choice.clock]
 * @param {string[]} [choice.stages]
 * @param {boolean} [choice.mayRemove]
 */
async function measureWith(answer, { clock = new Clock(), stages = [...ACTIONS], mayRemove = true } = {}) {
  const { random, connections, workload } = fakeEngine({ answer, clock });
  const { keyspace } = workload;
  const requests = { preflight: 0, clock: 0, probe: 0, cleanup: 0 };
  const known = { wroteObjects: stages.includes('write'), mayRemove, probes: new Set(), requests };
  const parts = { clock, random, keyspace, attendants: connections, ...known };
  const run = /** @type {import('../../lib/run/open-run.js').OpenRun} */ (/** @type {unknown} */ (parts));
  return { latencies: await measureUnloaded(run, runConfig(NO_TARGET, { stages }), NEVER), run };
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
  assert.equal(run.probes.size, 0);
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
  assert.ok(run.probes.size > 0);
});

test('a run that is stopped measures nothing more', TIME_LIMIT, async (t) => {
  const { run, config, keys } = await open(t);
  assert.equal((await measureUnloaded(run, config, AbortSignal.abort())).size, 0);
  assert.deepEqual(await keys(), []);
});

test('an operation that had to be tried again is no latency', async () => {
  const told = new Set();
  const { latencies } = await measureWith(({ method, key }) => {
    const isTriedAgain = method === 'get' && key.endsWith('0') && !told.has(key);
    told.add(method === 'get' ? key : '');
    if (isTriedAgain) {
      throw classifyAnswer({ status: 503, code: 'SlowDown', message: '', now: 0 });
    }
  });
  assert.deepEqual(
    [...latencies].map(([action, { count }]) => [action, count]),
    [
      ['write', 20],
      ['read', 18],
      ['stat', 20],
      ['remove', 20],
    ],
  );
});

test('what was written is removed, however long it takes', async () => {
  const clock = new ManualClock(0);
  const stored = new Set();
  let written = 0;
  const { run } = await measureWith(
    ({ method, key }) => {
      clock.advance(method === 'remove' ? 3000 : 1000);
      if (method === 'put') {
        written += 1;
        stored.add(key);
      } else if (method === 'remove') {
        stored.delete(key);
      }
    },
    { clock },
  );
  assert.ok(written > 1 && written < 25, `${written} were written before the time was over`);
  assert.deepEqual([stored.size, run.probes.size], [0, 0]);
});

test('what could not be removed again is not written', async () => {
  const { latencies, run } = await measureWith(() => assert.fail('nothing is asked'), { mayRemove: false });
  assert.deepEqual([latencies.size, run.probes.size], [0, 0]);
});

test('a run that does not write needs to remove nothing to be measured', async () => {
  const { latencies } = await measureWith(() => {}, { stages: ['read', 'stat'], mayRemove: false });
  assert.deepEqual([...latencies.keys()], ['read', 'stat']);
});
