import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionMeter, StageMeter } from '../../lib/measure/stage-meter.js';
import { evidenceOf, stageResult } from '../../lib/run/stage-result.js';
import { OPERATIONS, STAGES } from '../../lib/load/operations/registry.js';
import { mixedStage } from '../../lib/load/operations/stage.js';
import { closedLoop } from '../helpers/load.js';
import { NO_CONNECTIONS, stageOutcome } from '../helpers/stage-outcome.js';
import { ManualClock } from '../helpers/manual-clock.js';

/**
 * @import { Load } from '../../lib/load/run-stage.js'
 * @import { UnloadedLatency } from '../../lib/result/result.js'
 */

const SIZE = 100;
const CLIENT_LOAD = { cpuUser: 1, cpuSystem: 2, loops: 1, eventLoopUtilization: 0.5, busyLoops: 0.5 };

/**
 * @param {number} offset ms into the second in which the stage starts
 * @param {readonly number[]} gaps ms before each operation completes
 * @param {number} rest ms after the last one
 * @param {object} [context]
 * @param {Partial<Load>} [context.load]
 * @param {UnloadedLatency | null} [context.unloaded]
 */
function resultOf(offset, gaps, rest, { load = {}, unloaded = null } = {}) {
  const clock = new ManualClock(1_700_000_000_000 + offset);
  const startedAt = clock.now();
  const meter = new StageMeter(clock, startedAt, { measuredFrom: startedAt + (load.warmup ?? 0) });
  for (const gap of gaps) {
    const begun = clock.now();
    clock.advance(gap);
    meter.succeeded({ startedAt: begun, attemptStartedAt: begun, finishedAt: clock.now() }, SIZE);
  }
  clock.advance(rest);
  const connections = new ConnectionMeter();
  connections.opened({ tcp: 2, tls: null });
  const outcome = stageOutcome([meter], clock, {
    startedAt,
    endedAt: clock.now(),
    clientLoad: CLIENT_LOAD,
    connections: { ...NO_CONNECTIONS, opened: 1, reused: 10, lookupTime: 0.5, ...connections.take() },
  });
  return stageResult({
    stage: STAGES[1],
    outcome,
    clock,
    objects: 50,
    load: closedLoop({ threads: 4, ...load }),
    unloaded,
    availableCores: 2,
  });
}

test('a result has the stage’s times in epoch milliseconds, and rates per second', () => {
  const result = resultOf(250, [500, 500, 500, 500], 500);
  assert.deepEqual([result.stage, result.end, result.objects, result.threads], ['Read', 'complete', 50, 4]);
  assert.deepEqual([result.startedAt, result.endedAt, result.duration], [1_700_000_000_250, 1_700_000_002_750, 2500]);
  assert.equal(result.average, 4 / 2.5);
  assert.equal(result.peak, 2);
  assert.deepEqual(
    result.seconds.map(({ operations }) => operations),
    [1, 2, 1],
  );
  assert.equal(result.latency.operations?.count, 4);
  assert.equal(result.clientLoad, CLIENT_LOAD);
});

test('the rate of a timed stage is over its whole time, whenever its last operations came', () => {
  const clock = new ManualClock(1_700_000_000_000);
  const startedAt = clock.now();
  const stopsAt = startedAt + 2000;
  const meter = new StageMeter(clock, startedAt, { measuredUntil: stopsAt });
  for (const finishedAt of [500, 1000, 2000, 2001, 9000].map((after) => startedAt + after)) {
    meter.succeeded({ startedAt, attemptStartedAt: startedAt, finishedAt }, SIZE);
  }
  const resultAt = (/** @type {number} */ endedAt) =>
    stageResult({
      stage: STAGES[1],
      outcome: stageOutcome([meter], clock, { startedAt, endedAt, clientLoad: CLIENT_LOAD }),
      ...{ clock, objects: 50, load: closedLoop({ threads: 4 }), unloaded: null, availableCores: 2 },
      stopsAt,
    });
  const { drain, average, operations, drainOperations, drainBytes } = resultAt(startedAt + 9000);
  assert.deepEqual([drain, average, operations, drainOperations, drainBytes], [7000, 1.5, 5, 2, 2 * SIZE]);
  assert.equal(resultAt(startedAt + 1000).drain, 0);
});

test('operations that complete after the stage’s time or in its warm-up leave the rate once', () => {
  const clock = new ManualClock(1_700_000_000_000);
  const startedAt = clock.now();
  const meter = new StageMeter(clock, startedAt, { measuredFrom: startedAt + 1500, measuredUntil: startedAt + 1000 });
  meter.succeeded({ startedAt, attemptStartedAt: startedAt, finishedAt: startedAt + 1200 }, SIZE);
  const { warmupOperations, drainOperations } = meter.toRecord();
  assert.deepEqual([warmupOperations, drainOperations], [1, 0]);
});
/**
 * @param {(meter: StageMeter, now: number) => void} record
 * @returns {ReturnType<typeof evidenceOf>}
 */
function evidenceAfter(record) {
  const clock = new ManualClock(1_700_000_000_000);
  const startedAt = clock.now();
  const meter = new StageMeter(clock, startedAt);
  record(meter, startedAt);
  clock.advance(1000);
  const clientLoad = { ...CLIENT_LOAD, cpuUser: 600, cpuSystem: 200 };
  const outcome = stageOutcome([meter], clock, { end: 'overloaded', startedAt, endedAt: clock.now(), clientLoad });
  const result = stageResult({
    stage: STAGES[1],
    outcome,
    ...{ clock, objects: 50, load: closedLoop({ threads: 4 }), unloaded: null, availableCores: 2 },
  });
  return evidenceOf(result, closedLoop({ threads: 4 }), true, 2);
}

test('the evidence adds user and system CPU time and includes how the stage ended', () => {
  const { cpuCores, end } = evidenceAfter(() => {});
  assert.deepEqual([cpuCores, end], [0.8, 'overloaded']);
});

test('threads lose the time before a successful attempt, and all time of an abandoned operation', () => {
  const { backoffShare } = evidenceAfter((meter, now) => {
    meter.succeeded({ startedAt: now, attemptStartedAt: now + 30, finishedAt: now + 100 }, SIZE);
    meter.gaveUp({ startedAt: now, finishedAt: now + 60 }, now + 60);
  });
  assert.ok(Math.abs(backoffShare - 90 / 160) < 1e-3, String(backoffShare));
});

test('a stage of no length has finite rates', () => {
  for (const gaps of [[], [0, 0, 0]]) {
    const { duration, average, peak } = resultOf(0, gaps, 0);
    assert.ok(duration > 0);
    assert.ok(Number.isFinite(average) && Number.isFinite(peak) && peak >= average);
  }
});

test('without a whole second, the peak is the mean', () => {
  const { average, peak } = resultOf(600, [100, 100, 100], 0);
  assert.ok(Math.abs(average - 10) < 1e-9);
  assert.equal(peak, average);
});

test('warm-up operations are in the totals, but not in rates or percentiles', () => {
  const { operations, bytes, warmup, warmupOperations, average, peak, latency } = resultOf(
    0,
    [900, 100, 500, 250, 250, 500],
    0,
    { load: { warmup: 1000 } },
  );
  assert.deepEqual([operations, bytes, warmup, warmupOperations], [6, 6 * SIZE, 1000, 1]);
  assert.ok(Math.abs(average - 5 / 1.5) < 1e-9);
  assert.equal(peak, average);
  assert.equal(latency.operations?.count, 5);
});

test('if many threads are as fast as one, concurrency is the bottleneck', () => {
  const gaps = Array.from({ length: 200 }, () => 10);
  const { bottleneck, unloaded } = resultOf(0, gaps, 0, { unloaded: { count: 20, p50: 9, size: SIZE } });
  assert.deepEqual([bottleneck.cause, unloaded?.count], ['concurrency', 20]);
});

test('a stage of several kinds has figures and a bottleneck for each', () => {
  const clock = new ManualClock(1_700_000_000_000);
  const startedAt = clock.now();
  const kinds = [1, 2].map(() => new StageMeter(clock, startedAt));
  const [writes, reads] = kinds;
  for (let operation = 0; operation < 300; operation++) {
    const at = clock.now();
    clock.advance(10);
    const times = { startedAt: at, attemptStartedAt: at, finishedAt: clock.now() };
    (operation % 3 === 0 ? writes : reads).succeeded(times, SIZE);
  }
  writes.throttled += 90;
  const endedAt = clock.now();
  const stage = mixedStage('Mixed', [
    { operation: OPERATIONS[0], weight: 1 },
    { operation: OPERATIONS[1], weight: 2 },
  ]);
  const result = stageResult({
    stage,
    outcome: stageOutcome(kinds, clock, { startedAt, endedAt, clientLoad: CLIENT_LOAD }),
    ...{ clock, objects: 300, load: closedLoop({ threads: 6 }), unloaded: null, availableCores: 2 },
    unloadedByOperation: new Map([['read', { count: 10, p50: 10, size: SIZE }]]),
  });
  assert.deepEqual([result.stage, result.operations, result.average], ['Mixed', 300, 100]);
  const facts = result.kinds?.map(({ operation, operations, threads, average }) => [
    ...[operation, operations, threads, Math.round(average)],
  ]);
  assert.deepEqual(facts, [
    ['write', 100, 2, 33],
    ['read', 200, 4, 67],
  ]);
  assert.deepEqual(
    result.kinds?.map(({ throttled, latency }) => [throttled, latency.operations?.count]),
    [
      [90, 100],
      [0, 200],
    ],
  );
  assert.equal(result.kinds?.[1].bottleneck.cause, 'concurrency');
  assert.notEqual(result.kinds?.[0].bottleneck.cause, 'concurrency', 'its unloaded latency is unknown');
});
