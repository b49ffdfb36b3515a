import assert from 'node:assert/strict';
import { test } from 'node:test';
import { largestWholeSecond } from '../../lib/result/seconds.js';
import { StageMeter } from '../../lib/measure/stage-meter.js';
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
  return meter.until(endedAt).seconds.map(({ moved }) => moved);
}

test('the bytes of an operation that outlasts its second are spread over the time of its attempt', () => {
  const { begun, meter } = meterFrom(500);
  meter.succeeded({ startedAt: begun, attemptStartedAt: begun, finishedAt: begun + 2500 }, 2500);
  assert.deepEqual(bytesBySecond(meter, begun + 2500), [500, 1000, 1000, 0]);
});

test('the peak of large objects that end together reflects the data flow, not the completions', () => {
  const { clock, begun, meter } = meterFrom(0);
  for (let index = 0; index < 8; index += 1) {
    meter.succeeded({ startedAt: begun, attemptStartedAt: begun, finishedAt: begun + 9500 }, 9500);
  }
  const stage = { startedAt: clock.toEpoch(begun), endedAt: clock.toEpoch(begun + 10_000), average: 7600 };
  assert.equal(
    largestWholeSecond(meter.until(begun + 10_000).seconds, stage, ({ moved }) => Math.round(moved)),
    8000,
  );
});
