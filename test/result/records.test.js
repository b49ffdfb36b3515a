import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionMeter, StageMeter } from '../../lib/measure/stage-meter.js';
import { BucketMeter } from '../../lib/measure/part-meter.js';
import { everySecond, sumOfSnapshots, sumOfStages } from '../../lib/result/records.js';
import { cases } from '../helpers/cases.js';
import { ManualClock } from '../helpers/manual-clock.js';
import { workerOutcome } from '../helpers/stage-outcome.js';
import { stageSnapshot } from '../helpers/stage-snapshot.js';

const WORKERS = 3;
const WINDOWS = { width: 400 };

/** What an operation adds on the worker that carries it out. */
const anyOperation = fc.record({
  worker: fc.nat(WORKERS - 1),
  after: fc.nat(900),
  latency: fc.integer({ min: 1, max: 2500 }),
  bytes: fc.nat(1e6),
  failures: fc.array(fc.constantFrom('throttled', 'timeout'), { maxLength: 2 }),
  status: fc.constantFrom('hit', 'miss', null),
  age: fc.integer({ min: -1, max: 90 }),
  isParallel: fc.boolean(),
});

/**
 * @param {readonly (typeof anyOperation extends fc.Arbitrary<infer Type> ? Type : never)[]} operations
 * @param {(worker: number) => number} meterOf
 */
function recordsOf(operations, meterOf) {
  const clock = new ManualClock(1_700_000_000_123);
  const startedAt = clock.now();
  const time = { measuredFrom: startedAt + 500, measuredUntil: startedAt + 6000 };
  const count = Math.max(...Array.from({ length: WORKERS }, (_, worker) => meterOf(worker))) + 1;
  const meters = Array.from({ length: count }, () => ({
    stage: new StageMeter(clock, startedAt, { ...time, windows: { ...WINDOWS, startsAt: startedAt } }),
    buckets: ['one', 'two'].map(() => new BucketMeter({ ...time, clock })),
    connections: new ConnectionMeter(),
  }));
  for (const [index, { worker, after, latency, bytes, failures, status, age }] of operations.entries()) {
    clock.advance(after);
    const { stage, buckets, connections } = meters[meterOf(worker)];
    const bucket = buckets[index % 2];
    const finishedAt = clock.now();
    const attemptStartedAt = Math.max(finishedAt - latency, startedAt);
    const times = { startedAt: Math.max(attemptStartedAt - failures.length, startedAt), attemptStartedAt, finishedAt };
    for (const kind of failures) {
      stage.attemptFailed(kind, 1, finishedAt);
      stage.seconds.addFailure(finishedAt, kind === 'throttled');
      stage.retries += 1;
      bucket.failedAttempts += 1;
    }
    stage.succeeded(times, bytes);
    bucket.succeeded(times, bytes);
    if (status !== null) {
      stage.answeredBy(status, times, bytes, age);
      connections.answered(status);
      connections.opened({ tcp: latency, tls: age < 0 ? null : age });
    }
  }
  const endedAt = clock.now() + 1;
  const records = meters.map(({ stage, buckets, connections }) => {
    const { fatal, ...record } = workerOutcome([stage], {
      ...{ startedAt, endedAt, loops: [], waited: 1 / meters.length },
      buckets: buckets.map((meter, slot) => ({ bucket: String(slot), ...meter.toRecord() })),
      connections: { opened: 1, reused: 2, socketWait: 0, lookupTime: null, ...connections.take() },
    });
    return structuredClone(record);
  });
  return { records, clock };
}

/** Means are rounded, and lists whose order depends on the first worker are sorted. @param {object} record */
function comparable(record) {
  const sorted = (/** @type {any} */ value) =>
    Array.isArray(value) && value[0]?.status !== undefined
      ? value.toSorted((one, other) => (one.status < other.status ? -1 : 1))
      : value;
  return JSON.parse(
    JSON.stringify(record, (_, value) =>
      typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(9)) : sorted(value),
    ),
  );
}

test('the records of several workers add up to that of a single worker', () => {
  fc.assert(
    fc.property(fc.array(anyOperation, { maxLength: 30 }), (operations) => {
      const { records, clock } = recordsOf(operations, (worker) => worker);
      const whole = recordsOf(operations, () => 0);
      const [sum, expected] = [sumOfStages(records, clock), sumOfStages(whole.records, whole.clock)];
      const { opened, reused, ...connections } = sum.connections;
      assert.deepEqual([opened, reused], [WORKERS, 2 * WORKERS]);
      const { opened: once, reused: twice, ...ofWhole } = expected.connections;
      assert.deepEqual(comparable({ ...sum, connections }), comparable({ ...expected, connections: ofWhole }));
    }),
    { numRuns: cases(60) },
  );
});

test('the order of addition does not matter', () => {
  fc.assert(
    fc.property(fc.array(anyOperation, { maxLength: 20 }), (operations) => {
      const { records, clock } = recordsOf(operations, (worker) => worker);
      const [a, b, c] = records;
      const whole = comparable(sumOfStages([a, b, c], clock));
      const { whole: _, ...ab } = sumOfStages([b, a], clock);
      assert.deepEqual(comparable(sumOfStages([c, ab], clock)), whole);
    }),
    { numRuns: cases(30) },
  );
});

test('a second without operations is part of a stage, unless the process was suspended in it', () => {
  const second = (/** @type {number} */ secondStart) => ({ secondStart, operations: 1, bytes: 2 });
  const clock = { pausedBetween: (/** @type {number} */ from) => (from === 6000 ? 1000 : 0) };
  assert.deepEqual(
    everySecond([second(4), second(8)], clock).map(({ secondStart, operations }) => [secondStart, operations]),
    [
      [4, 1],
      [5, 0],
      [7, 0],
      [8, 1],
    ],
  );
});

test('the snapshots of several workers are added', () => {
  const one = stageSnapshot({ latencies: [1, 2], errors: { timeout: 1 } });
  const other = stageSnapshot({ latencies: [3], errors: { timeout: 2, reset: 1 } }, { loops: [0.25], inFlight: 3 });
  const { kinds, buckets, connections, inFlight, loops } = sumOfSnapshots([one, other]);
  const [{ operations, attempts, errors, latency }] = kinds;
  assert.deepEqual([operations, attempts, errors], [3, 7, { timeout: 3, reset: 1 }]);
  assert.deepEqual([latency.operations?.count, latency.operations?.maximum], [3, 3]);
  assert.deepEqual([buckets[0].operations, buckets[0].failedAttempts], [3, 4]);
  assert.deepEqual([connections, inFlight, loops], [{ opened: 4, reused: 3, open: 4 }, 4, [0.5, 0.25]]);
});
