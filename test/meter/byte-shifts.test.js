import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { peakBytesOf } from '../../lib/meter/second-counts.js';
import { StageMeter } from '../../lib/meter/stage-meter.js';
import { ManualClock } from '../helpers/manual-clock.js';

const EPOCH_SECOND = 1_700_000_000;

/** @param {number} milliseconds into the second in which the stage starts */
function meterFrom(milliseconds) {
  const clock = new ManualClock(EPOCH_SECOND * 1000 + milliseconds);
  return { clock, begun: clock.now(), meter: new StageMeter(clock, clock.now()) };
}

/**
 * @param {StageMeter} meter
 * @param {number} endedAt monotonic ms
 */
function bytesBySecond(meter, endedAt) {
  return meter.seconds.until(endedAt).map(({ secondStart, bytes }) => bytes + meter.byteShifts.at(secondStart));
}

test('the bytes of an operation that outlasts its second are spread over the time of its attempt', () => {
  const { begun, meter } = meterFrom(500);
  meter.succeeded({ startedAt: begun, attemptStartedAt: begun, finishedAt: begun + 2500 }, 2500);
  assert.deepEqual(bytesBySecond(meter, begun + 2500), [500, 1000, 1000, 0]);
});

test('bytes are neither lost nor invented, on one worker or on two', () => {
  const operation = fc.record({ start: fc.nat(5000), latency: fc.nat(8000), bytes: fc.nat(10_000_000) });
  fc.assert(
    fc.property(fc.nat(999), fc.array(operation, { maxLength: 30 }), (offset, operations) => {
      const { clock, begun, meter } = meterFrom(offset);
      const cores = [new StageMeter(clock, begun), new StageMeter(clock, begun)];
      for (const [index, { start, latency, bytes }] of operations.entries()) {
        const startedAt = begun + start;
        const finishedAt = startedAt + latency;
        cores[index % 2].succeeded({ startedAt, attemptStartedAt: startedAt, finishedAt }, bytes);
      }
      const endedAt = begun + 13_000;
      cores.forEach((core) => meter.addState(core.toState(endedAt)));
      const shifted = bytesBySecond(meter, endedAt);
      const sum = operations.reduce((total, { bytes }) => total + bytes, 0);
      assert.ok(Math.abs(shifted.reduce((total, bytes) => total + bytes, 0) - sum) < 1);
      assert.ok(shifted.every((bytes) => bytes > -1e-3));
    }),
  );
});

test('the peak of large objects that end together reflects the data flow, not the completions', () => {
  const { clock, begun, meter } = meterFrom(0);
  for (let index = 0; index < 8; index += 1) {
    meter.succeeded({ startedAt: begun, attemptStartedAt: begun, finishedAt: begun + 9500 }, 9500);
  }
  const stage = { startedAt: clock.toEpoch(begun), endedAt: clock.toEpoch(begun + 10_000), average: 7600 };
  assert.equal(peakBytesOf(meter.seconds.until(begun + 10_000), meter.byteShifts, stage), 8000);
});
