import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Clock } from '../../lib/clock/clock.js';
import { kindOrder } from '../../lib/engine/claims.js';
import { Workers } from '../../lib/engine/workers.js';
import { operationNamed } from '../../lib/operations/registry.js';
import { mixedStage } from '../../lib/operations/stage.js';
import { WrittenObjects } from '../../lib/workload/written-objects.js';
import { objectSizes } from '../../lib/workload/sizes.js';
import { closedLoop } from '../helpers/load.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { recordingHooks, stageTask, workerSpec } from '../helpers/worker-spec.js';

/**
 * @import { StageOutcome } from '../../lib/engine/workers.js'
 * @import { Load } from '../../lib/engine/run-stage.js'
 * @import { StageTask, WorkerSpec } from '../../lib/engine/worker.js'
 * @import { TestContext } from 'node:test'
 */

const [write, read, stat] = ['write', 'read', 'stat'].map(operationNamed);
const TIME_LIMIT = { timeout: 120_000 };
const NEVER = new AbortController().signal;
const OBJECTS = 400;

const METHODS = /** @type {const} */ (['PUT', 'GET', 'HEAD']);

/** Sizes below and above a TLS record, a socket's buffer and a chunk. */
const SIZES = {
  size: 100_000,
  sizes: /** @type {const} */ ({ kind: 'log-uniform', min: 1, max: 100_000 }),
};

const MIXED = mixedStage('Mixed', [
  { operation: write, weight: 2 },
  { operation: read, weight: 5 },
  { operation: stat, weight: 3 },
]);

const kindOf = kindOrder(MIXED.kinds, 'kinds of run-1');
const sizeOf = objectSizes({ runId: 'run-1', size: SIZES.size, sizes: SIZES.sizes });

/**
 * @param {TestContext} t
 * @param {number} cores
 * @param {string} [faults]
 * @param {Partial<WorkerSpec>} [overrides]
 */
async function openRun(t, cores, faults = '', overrides = {}) {
  const endpoint = await startTestEndpoint(t, { faults });
  const spec = workerSpec(endpoint, { objects: OBJECTS, ...overrides });
  const workers = await Workers.open(spec, { cores, threads: 6, clock: new Clock(), random: Math.random });
  t.after(() => workers.close());
  return { endpoint, workers, written: new WrittenObjects(spec.written) };
}

/**
 * @param {Partial<StageTask>} [overrides]
 * @param {Partial<Load>} [load]
 * @returns {StageTask}
 */
function mixedTask(overrides = {}, load = {}) {
  return { ...stageTask('Write', OBJECTS), stage: MIXED, load: closedLoop({ ...SIZES, ...load }), ...overrides };
}

/** @param {Partial<Load>} [load] */
function writeAll(load = {}) {
  return { ...stageTask('Write', OBJECTS), load: closedLoop({ ...SIZES, ...load }) };
}

/** @param {readonly number[]} indices of objects in the order of claims */
function expectedOf(indices) {
  return MIXED.kinds.map(({ operation }, kind) => {
    const claimed = indices.filter((claim) => kindOf(claim) === kind).map((claim) => claim % OBJECTS);
    const moved = operation === stat ? [] : claimed;
    return { operations: claimed.length, bytes: moved.reduce((sum, index) => sum + sizeOf(index), 0) };
  });
}

/** @param {StageOutcome} outcome */
function countedOf({ kinds }) {
  return kinds.map((meter) => {
    const { operations, bytes } = meter.counts();
    return { operations, bytes };
  });
}

/** @param {StageOutcome} outcome */
function assertSums({ meter, kinds, endedAt }) {
  const whole = meter.counts();
  const parts = kinds.map((each) => each.counts());
  for (const name of /** @type {const} */ ([
    ...['operations', 'bytes', 'attempts', 'retries', 'failed', 'integrityErrors', 'skipped', 'abandoned'],
  ])) {
    assert.equal(
      whole[name],
      parts.reduce((sum, each) => sum + each[name], 0),
      name,
    );
  }
  const latencies = kinds.map((each) => each.latencies().operations.count);
  assert.equal(meter.latencies().operations.count, latencies[0] + latencies[1] + latencies[2]);
  const seconds = meter.seconds.until(endedAt);
  for (const [index, { secondStart, operations }] of seconds.entries()) {
    const ofKinds = kinds.map((each) => each.seconds.at(secondStart).operations);
    assert.equal(operations, ofKinds[0] + ofKinds[1] + ofKinds[2], `second ${index}`);
  }
}

const ALL = [...Array(OBJECTS).keys()];

describe('a stage that mixes writes, reads and stats of objects of many sizes', { concurrency: 2 }, () => {
  for (const cores of [1, 3]) {
    test(`counts each kind exactly, and checks each size and byte, on ${cores} workers`, TIME_LIMIT, async (t) => {
      const { endpoint, workers } = await openRun(t, cores);
      const { hooks, told } = recordingHooks();
      await workers.runStage(writeAll(), NEVER, recordingHooks().hooks);
      const before = await endpoint.report();
      const outcome = await workers.runStage(mixedTask(), NEVER, hooks);
      assert.equal(outcome.end, 'complete');
      assert.deepEqual(countedOf(outcome), expectedOf(ALL));
      assertSums(outcome);
      assert.deepEqual([told.failed, told.integrityErrors], [[], []]);
      assert.equal(
        told.seconds.reduce((sum, { operations }) => sum + operations, 0),
        OBJECTS,
      );
      const { requests } = await endpoint.report();
      const [writes, reads, stats] = expectedOf(ALL);
      assert.deepEqual(
        METHODS.map((method) => requests[method].total - before.requests[method].total),
        [writes.operations, reads.operations, stats.operations],
      );
      const firstBytes = outcome.kinds.map((meter) => meter.latencies().firstByte.count);
      assert.deepEqual(firstBytes, [0, reads.operations, 0], 'only reads have a first byte');
    });
  }

  test('cycles until it is stopped, and counts what was done', TIME_LIMIT, async (t) => {
    const { workers } = await openRun(t, 2, 'latency=1ms');
    await workers.runStage(writeAll(), NEVER, recordingHooks().hooks);
    const controller = new AbortController();
    const { hooks, told } = recordingHooks();
    const stopping = { ...hooks, progress: (/** @type {number} */ done) => done > OBJECTS && controller.abort() };
    const budget = { ...stageTask('Write', OBJECTS).budget, cycles: true };
    const outcome = await workers.runStage(mixedTask({ budget }), controller.signal, stopping);
    assert.equal(outcome.end, 'stopped');
    assertSums(outcome);
    const { operations, failed, integrityErrors, abandoned } = outcome.meter.counts();
    assert.ok(operations > OBJECTS);
    assert.deepEqual([failed, integrityErrors, abandoned], [0, 0, 0], 'operations in flight have settled');
    const claimed = [...Array(operations).keys()];
    assert.deepEqual(countedOf(outcome), expectedOf(claimed));
    assert.deepEqual(told.integrityErrors, []);
  });

  test('keeps the times of an open loop, whatever the kind', TIME_LIMIT, async (t) => {
    const { workers } = await openRun(t, 2, '', { openLoop: true });
    await workers.runStage(writeAll(), NEVER, recordingHooks().hooks);
    const pacing = { rate: 800, arrival: /** @type {const} */ ('poisson'), seed: 'arrivals' };
    const outcome = await workers.runStage(mixedTask({}, { pacing }), NEVER, recordingHooks().hooks);
    assert.equal(outcome.end, 'complete');
    assert.deepEqual(countedOf(outcome), expectedOf(ALL));
    assertSums(outcome);
    const starts = outcome.kinds.map((meter) => meter.latencies().startDelay.count);
    assert.deepEqual(
      starts,
      expectedOf(ALL).map(({ operations }) => operations),
    );
    assert.ok(outcome.endedAt - outcome.startedAt > 300, 'the last of them was to start after half a second');
  });

  test('counts retries and errors for the kind that met them', TIME_LIMIT, async (t) => {
    const { workers } = await openRun(t, 2, 'seed=7,GET.status=503:20%,HEAD.status=400:10%,GET.corrupt=10%');
    await workers.runStage(writeAll(), NEVER, recordingHooks().hooks);
    const { hooks, told } = recordingHooks();
    const outcome = await workers.runStage(mixedTask(), NEVER, hooks);
    assertSums(outcome);
    const [writes, reads, stats] = outcome.kinds.map((meter) => meter.counts());
    assert.deepEqual([writes.retries, writes.integrityErrors, writes.failed], [0, 0, 0]);
    assert.ok(reads.retries > 0 && reads.throttled > 0);
    assert.equal(reads.integrityErrors, told.integrityErrors.length);
    assert.ok(reads.integrityErrors > 0);
    assert.deepEqual([stats.retries, stats.integrityErrors], [0, 0]);
    assert.equal(stats.failed, told.failed.length);
    assert.equal(reads.retries + writes.retries, told.retries);
    const ended = [writes, reads, stats].map(
      ({ operations, failed, integrityErrors }) => operations + failed + integrityErrors,
    );
    assert.deepEqual(
      ended,
      expectedOf(ALL).map(({ operations }) => operations),
    );
  });

  test('skips unwritten objects and counts them by kind', TIME_LIMIT, async (t) => {
    const { workers, written } = await openRun(t, 2);
    const half = { ...stageTask('Write', OBJECTS / 2), load: closedLoop(SIZES) };
    await workers.runStage(half, NEVER, recordingHooks().hooks);
    const outcome = await workers.runStage(mixedTask(), NEVER, recordingHooks().hooks);
    const [writes, reads, stats] = outcome.kinds.map((meter) => meter.counts());
    assertSums(outcome);
    const expected = expectedOf(ALL);
    assert.equal(writes.operations, expected[0].operations);
    assert.deepEqual([reads.operations + reads.skipped, reads.failed], [expected[1].operations, 0]);
    assert.deepEqual([stats.operations + stats.skipped, stats.failed], [expected[2].operations, 0]);
    assert.ok(reads.skipped > 0 && stats.skipped > 0);
    assert.ok(written.count > OBJECTS / 2);
  });

  test('detects an object whose size does not match its index', TIME_LIMIT, async (t) => {
    const { workers } = await openRun(t, 1);
    await workers.runStage(writeAll({ sizes: undefined, size: 50_000 }), NEVER, recordingHooks().hooks);
    const { hooks, told } = recordingHooks();
    const reading = { ...stageTask('Read', OBJECTS), load: closedLoop(SIZES) };
    const { meter } = await workers.runStage(reading, NEVER, hooks);
    assert.ok(meter.counts().integrityErrors > 0.9 * OBJECTS);
    assert.match(told.integrityErrors[0], /\(received 50000 bytes, expected \d+/);
  });
});
