import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StageMeter } from '../../lib/meter/stage-meter.js';
import { ManualClock } from '../helpers/manual-clock.js';

const SIZE = 16;

/**
 * @param {ManualClock} clock
 * @param {StageMeter} meter
 * @param {{ failures: readonly string[], duration: number }} operation
 */
function runOperation(clock, meter, { failures, duration }) {
  const startedAt = clock.now();
  for (const kind of failures) {
    clock.advance(duration);
    meter.attemptFailed(kind, duration);
    meter.retries += 1;
  }
  const attemptStartedAt = clock.now();
  clock.advance(duration);
  meter.succeeded({ attempts: failures.length + 1, startedAt, attemptStartedAt, finishedAt: clock.now() }, SIZE);
}

const anyOperation = fc.record({
  failures: fc.array(fc.constantFrom('throttled', 'timeout', 'connection'), { maxLength: 4 }),
  duration: fc.nat(400),
});

test('attempts are the operations and the failed attempts, and errors, seconds and bytes add up', () => {
  fc.assert(
    fc.property(fc.array(anyOperation, { maxLength: 40 }), (operations) => {
      const clock = new ManualClock(1_700_000_000_123);
      const meter = new StageMeter(clock, clock.now());
      operations.forEach((operation) => runOperation(clock, meter, operation));
      const failures = operations.flatMap((operation) => operation.failures);
      const counts = meter.counts();
      assert.equal(counts.operations, operations.length);
      assert.equal(counts.bytes, operations.length * SIZE);
      assert.equal(counts.attempts, operations.length + failures.length);
      assert.equal(counts.retries, failures.length);
      for (const kind of new Set(failures)) {
        assert.equal(counts.errors[kind], failures.filter((failure) => failure === kind).length);
      }
      assert.equal(
        Object.values(counts.errors).reduce((sum, count) => sum + count, 0),
        failures.length,
      );
      const seconds = meter.seconds.until(clock.now());
      assert.equal(
        seconds.reduce((sum, second) => sum + second.operations, 0),
        operations.length,
      );
      const latencies = meter.latencies();
      assert.equal(latencies.operations.count, operations.length);
      assert.equal(latencies.attempts.count, counts.attempts);
    }),
    { numRuns: 40 },
  );
});

test('the latency of an operation has its failed attempts and waits in it, that of an attempt has not', () => {
  const clock = new ManualClock(1_700_000_000_000);
  const meter = new StageMeter(clock, clock.now());
  const startedAt = clock.now();
  meter.attemptFailed('timeout', 100);
  clock.advance(100 + 900);
  const attemptStartedAt = clock.now();
  clock.advance(20);
  meter.succeeded({ attempts: 2, startedAt, attemptStartedAt, finishedAt: clock.now() }, SIZE);
  const { operations, attempts } = meter.latencies();
  assert.deepEqual([operations.summary()?.minimum, operations.summary()?.maximum], [1020, 1020]);
  assert.deepEqual([attempts.summary()?.minimum, attempts.summary()?.maximum], [20, 100]);
});

test('operations that went straight are in both latencies', () => {
  const clock = new ManualClock(1_700_000_000_000);
  const meter = new StageMeter(clock, clock.now());
  runOperation(clock, meter, { failures: [], duration: 7 });
  const { operations, attempts } = meter.latencies();
  assert.deepEqual(operations.summary(), attempts.summary());
});

test('the last success is the stage’s start until there is one', () => {
  const clock = new ManualClock(1_700_000_000_000);
  const startedAt = clock.now();
  const meter = new StageMeter(clock, startedAt);
  clock.advance(500);
  meter.attemptFailed('timeout', 500);
  assert.equal(meter.lastSuccessAt, startedAt);
  runOperation(clock, meter, { failures: [], duration: 10 });
  assert.equal(meter.lastSuccessAt, startedAt + 510);
});

test('errors are told in the order of their names', () => {
  const clock = new ManualClock(1_700_000_000_000);
  const meter = new StageMeter(clock, clock.now());
  ['timeout', 'connect', 'throttled', 'connect'].forEach((kind) => meter.attemptFailed(kind, 1));
  assert.deepEqual(Object.entries(meter.counts().errors), [
    ['connect', 2],
    ['throttled', 1],
    ['timeout', 1],
  ]);
});
