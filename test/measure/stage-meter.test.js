import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StageMeter, StageMeters } from '../../lib/measure/stage-meter.js';
import { sumOfKinds } from '../../lib/result/records.js';
import { ManualClock } from '../helpers/manual-clock.js';

const SIZE = 16;

/**
 * @param {ManualClock} clock
 * @param {readonly StageMeter[]} meters that count it
 * @param {{ failures: readonly string[], duration: number }} operation
 */
function runOperation(clock, meters, { failures, duration }) {
  const startedAt = clock.now();
  for (const kind of failures) {
    clock.advance(duration);
    for (const meter of meters) {
      meter.attemptFailed(kind, duration, clock.now());
      meter.retries += 1;
    }
  }
  const times = { startedAt, attemptStartedAt: clock.now(), finishedAt: clock.now() + duration };
  clock.advance(duration);
  meters.forEach((meter) => meter.succeeded(times, SIZE));
}

test('the latency of an operation includes failed attempts and waits, and that of an attempt does not', () => {
  const clock = new ManualClock(1_700_000_000_000);
  const meter = new StageMeter(clock, clock.now());
  const startedAt = clock.now();
  clock.advance(100);
  meter.attemptFailed('timeout', 100, clock.now());
  clock.advance(900);
  const attemptStartedAt = clock.now();
  clock.advance(20);
  meter.succeeded({ startedAt, attemptStartedAt, finishedAt: clock.now() }, SIZE);
  const { operations, attempts } = meter.toRecord().latency;
  assert.deepEqual([operations?.minimum, operations?.maximum], [1020, 1020]);
  assert.deepEqual([attempts?.minimum, attempts?.maximum], [20, 100]);
});

test('the counts of a stage’s kinds add up to those of the stage', () => {
  const clock = new ManualClock(1_700_000_000_900);
  const startedAt = clock.now();
  const meters = new StageMeters(2, clock, startedAt);
  const whole = new StageMeter(clock, startedAt);
  const [one, other] = meters.kinds;
  runOperation(clock, [one, whole], { failures: ['timeout'], duration: 60 });
  runOperation(clock, [other, whole], { failures: [], duration: 700 });
  other.skipped += 3;
  whole.skipped += 3;
  const endedAt = clock.now();
  assert.deepEqual([meters.done, meters.lastSuccessAt], [whole.done, whole.lastSuccessAt]);
  assert.equal(meters.secondOf(startedAt), whole.seconds.secondOf(startedAt));
  assert.deepEqual(
    meters.until(endedAt).map(({ secondStart }) => secondStart),
    whole.seconds.until(endedAt).map(({ secondStart }) => secondStart),
  );
  const [{ secondStart: second }] = meters.until(endedAt);
  const { kinds, ...sums } = meters.at(second);
  assert.deepEqual(sums, whole.seconds.at(second));
  assert.deepEqual(
    kinds,
    meters.kinds.map(({ seconds }) => {
      const { operations, bytes } = seconds.at(second);
      return { operations, bytes };
    }),
  );
  const { lastSuccessAt, ...sum } = sumOfKinds(meters.kinds.map((meter) => meter.until(endedAt)));
  const { lastSuccessAt: last, ...expected } = whole.until(endedAt);
  assert.deepEqual(sum, expected);
  assert.equal(meters.takeSecond(second).histogram, whole.takeSecond(second).encode());
});
