import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TimeBudget, measureUnloaded } from '../../lib/run/preflight/unloaded-latency.js';
import { DEFAULT_STAGES } from '../../lib/load/operations/registry.js';
import { openRun } from '../../lib/run/open-run.js';
import { Clock } from '../../lib/measure/clock/clock.js';
import { classifyAnswer } from '../../lib/store/s3-error.js';
import { cases } from '../helpers/cases.js';
import { fakeEngine } from '../helpers/fake-store.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';
import { SimulatedTime } from '../helpers/simulated-time.js';

/**
 * @import { OpenRun } from '../../lib/run/open-run.js'
 * @import { OperationAmounts, Config } from '../../lib/result/config.js'
 * @import { Overrides } from '../helpers/run-config.js'
 * @import { FakeRequest } from '../helpers/fake-store.js'
 * @import { TestContext } from 'node:test'
 */

const TIME_LIMIT = { timeout: 120_000 };
const NEVER = new AbortController().signal;

/**
 * @param {TestContext} t
 * @param {Overrides} [overrides]
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
 * @param {OpenRun} run
 * @param {Config} config
 * @param {AbortSignal} [signal]
 */
async function measure(run, config, signal = NEVER) {
  const latencies = await measureUnloaded(run, config, budgetAfter(run.clock, NEAR), signal);
  return latencies;
}

/** Latencies that preflight measured before, in ms. */
const NEAR = 1;
const FAR = 100;

/**
 * @param {Clock} clock
 * @param {number} alone
 */
function budgetAfter(clock, alone) {
  const budget = new TimeBudget(clock.now);
  budget.answered(alone);
  return budget;
}

/**
 * Measures the latency of a store simulated by the test.
 *
 * @param {(request: FakeRequest) => unknown} answer
 * @param {object} [choice]
 * @param {Clock} [choice.clock]
 * @param {readonly string[]} [choice.stages]
 * @param {Partial<OperationAmounts>} [choice.amounts]
 * @param {number} [choice.size]
 * @param {number} [choice.alone]
 * @param {number} [choice.deadline] ms ahead
 */
function measureWith(answer, choice = {}) {
  const { clock = new Clock(), stages = DEFAULT_STAGES, size = 1000, alone = NEAR, deadline } = choice;
  const { random, connections, workload } = fakeEngine({ answer, clock, threads: 5 });
  const { keyspace } = workload;
  const requests = { preflight: 0, clock: 0, probe: 0, cleanup: 0 };
  const known = { wroteObjects: stages.includes('write'), probes: new Set(), requests };
  const own = {
    controlConnections: connections.slice(0, 1),
    clockConnections: connections.slice(1),
    controlOptions: { region: 'auto' },
  };
  const { payload, ledger } = workload;
  const amounts = { ...workload.amounts, ...choice.amounts };
  const parts = { clock, random, keyspace, payload, ledger, amounts, ...own, ...known };
  const run = /** @type {OpenRun} */ (/** @type {unknown} */ (parts));
  const budget = budgetAfter(clock, alone);
  if (deadline !== undefined) {
    budget.deadline = clock.now() + deadline;
  }
  const measured = measureUnloaded(run, runConfig(NO_TARGET, { stages, size, amounts }), budget, NEVER);
  return { measured, run };
}

/**
 * A distant store, in simulated time.
 *
 * @param {TestContext} t
 * @param {(request: FakeRequest) => number} takes ms
 */
function farStore(t, takes) {
  const time = new SimulatedTime(t, 1_700_000_000_000);
  const stored = new Set();
  let inFlight = 0;
  const seen = { maxInFlight: 0, sizes: new Set(), reads: 0 };
  const answer = async (/** @type {FakeRequest} */ request) => {
    const { method, key, body } = request;
    inFlight += 1;
    seen.maxInFlight = Math.max(seen.maxInFlight, inFlight);
    await new Promise((resolve) => setTimeout(resolve, takes(request)));
    inFlight -= 1;
    if (method === 'put') {
      stored.add(key);
      seen.sizes.add([body].flat().reduce((sum, part) => sum + Buffer.byteLength(/** @type {Buffer} */ (part)), 0));
      return;
    }
    assert.ok(stored.has(key), `${method} of an absent object`);
    if (method === 'remove') {
      stored.delete(key);
    }
  };
  return { time, answer, seen, stored };
}

test('measures the operation of each stage separately, on objects that it removes', TIME_LIMIT, async (t) => {
  const { run, config, keys, endpoint } = await open(t, {}, 'latency=5ms');
  const latencies = await measure(run, config);
  assert.deepEqual([...latencies.keys()], ['write', 'read', 'stat', 'remove']);
  for (const { count, p50, size } of latencies.values()) {
    // A busy machine may measure fewer.
    assert.ok(count >= 5 && count <= 20, String(count));
    assert.equal(size, 1000);
    assert.ok(p50 >= 5, String(p50));
  }
  assert.deepEqual(await keys(), []);
  assert.equal(run.probes.size, 0);
  assert.equal(run.ledger.count, 0);
  const { requests } = await endpoint.report();
  const { PUT, GET, HEAD, DELETE } = requests;
  assert.equal(PUT.succeeded, DELETE.succeeded);
  assert.equal(run.requests.probe, PUT.total + GET.total + HEAD.total + DELETE.total);
});

test('a run that does not write measures with existing objects, and removes none', TIME_LIMIT, async (t) => {
  const { run, config, keys, endpoint } = await open(t, { stages: ['read', 'stat', 'remove'], objects: 30 });
  for (let index = 0; index < 30; index++) {
    await endpoint.put(run.keyspace.bucketOf(index), run.keyspace.keyOf(index), Buffer.alloc(1000));
  }
  assert.deepEqual([...(await measure(run, config)).keys()], ['read', 'stat']);
  assert.equal((await keys()).length, 30);
});

test('a retried operation does not count as a latency', async () => {
  const told = new Set();
  const { measured } = measureWith(({ method, key }) => {
    const isTriedAgain = method === 'get' && key.endsWith('0') && !told.has(key);
    told.add(method === 'get' ? key : '');
    if (isTriedAgain) {
      throw classifyAnswer({ status: 503, code: 'SlowDown', message: '', now: 0 });
    }
  });
  assert.deepEqual(
    [...(await measured)].map(([action, { count }]) => [action, count]),
    [
      ['write', 20],
      ['read', 18],
      ['stat', 20],
      ['remove', 20],
    ],
  );
});

test('whatever the distance, measures one request at a time, within thirty round trips or three seconds', async (t) => {
  const distance = fc.integer({ min: 1, max: 900 });
  await fc.assert(
    fc.asyncProperty(distance, async (roundTrip) => {
      const { time, answer, seen, stored } = farStore(t, () => roundTrip);
      const startedAt = time.hostTime;
      const { measured } = measureWith(answer, { clock: time.clock, alone: roundTrip });
      const latencies = await time.until(measured);
      time.end();
      const took = time.hostTime - startedAt;
      assert.ok(took <= Math.max(3000, 30 * roundTrip), `${took} ms at ${roundTrip} ms`);
      latencies.forEach(({ count, p50 }) =>
        assert.ok(count >= 5 && count <= 20 && p50 === roundTrip, `${count}, ${p50}`),
      );
      assert.deepEqual([latencies.size, stored.size, seen.maxInFlight], [4, 0, 1]);
    }),
    { numRuns: cases(8) },
  );
});

test('measures less, or nothing, shortly before a scheduled start', async (t) => {
  for (const [deadline, least, most] of [
    [3000, 5, 7],
    [2500, 5, 5],
    [2300, 0, 0],
  ]) {
    const { time, answer, stored } = farStore(t, () => 100);
    const startedAt = time.hostTime;
    const { measured, run } = measureWith(answer, { clock: time.clock, alone: FAR, deadline });
    const latencies = await time.until(measured);
    time.end();
    assert.ok(time.hostTime - startedAt <= deadline + 1, `${time.hostTime - startedAt} of ${deadline} ms`);
    const count = latencies.get('write')?.count ?? 0;
    assert.ok(count >= least && count <= most, `${count} in ${deadline} ms`);
    assert.deepEqual([stored.size, run.probes.size], [0, 0]);
  }
});

test('removes its probe even if the time ends between the write and its removal', async (t) => {
  const { time, answer, stored } = farStore(t, ({ method }) => (method === 'get' ? 1e6 : 100));
  const { measured, run } = measureWith(answer, { clock: time.clock, alone: FAR });
  await time.until(measured, 20_000);
  time.end();
  assert.deepEqual([stored.size, run.probes.size], [0, 0]);
});

test('does not wait for an unresponsive store when the time is over', async (t) => {
  let asked = 0;
  const { time, answer } = farStore(t, () => (++asked > 20 ? 1e6 : 100));
  const startedAt = time.hostTime;
  const { measured, run } = measureWith(answer, { clock: time.clock, alone: FAR, deadline: 5000 });
  await time.until(measured, 20_000);
  time.end();
  assert.ok(time.hostTime - startedAt <= 5001, String(time.hostTime - startedAt));
  assert.ok(run.probes.size > 0, 'possible leftovers are left to clean-up');
});

test('measures small objects in place of large ones, unless there is time for these', async (t) => {
  const megabyte = 1024 ** 2;
  // In addition to a round trip of 100 ms.
  for (const [size, rate, expected] of [
    [20 * megabyte, 1000, 65_536],
    [megabyte, 1000, 65_536],
    [megabyte, 100_000, megabyte],
    [30_000, 1000, 30_000],
  ]) {
    const { time, answer, seen } = farStore(t, ({ method, body }) => {
      const bytes =
        method === 'put' ? [body].flat().reduce((sum, part) => sum + /** @type {Buffer} */ (part).length, 0) : 0;
      return 100 + bytes / rate;
    });
    const startedAt = time.hostTime;
    const { measured } = measureWith(answer, { clock: time.clock, alone: FAR, size });
    const latencies = await time.until(measured);
    time.end();
    assert.equal(latencies.get('write')?.size, expected, `${size} at ${rate}`);
    assert.ok(seen.sizes.has(expected));
    assert.ok(time.hostTime - startedAt <= 4000, String(time.hostTime - startedAt));
  }
});

test('does not read large objects of an earlier run', async () => {
  const stages = ['read', 'stat'];
  const large = measureWith(() => {}, { stages, size: 1024 ** 2 + 1 });
  assert.deepEqual([...(await large.measured).keys()], ['stat']);
  const small = measureWith(() => {}, { stages, size: 1024 ** 2 });
  assert.deepEqual([...(await small.measured).keys()], stages);
});
