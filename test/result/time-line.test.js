import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TimeLine } from '../../lib/result/log/time-line.js';
import { formatTimeOfDay } from '../../lib/text/units.js';

test('times of day after a date become the original seconds, unless a day is skipped', () => {
  const steps = fc.array(fc.integer({ min: -3000, max: 22 * 3600 }), { maxLength: 50 });
  fc.assert(
    fc.property(fc.integer({ min: 1e9, max: 2e9 }), steps, (start, differences) => {
      const timeLine = new TimeLine();
      timeLine.setDate(start * 1000 + 999);
      let second = start;
      for (const difference of differences) {
        second += difference;
        assert.equal(timeLine.toSeconds(formatTimeOfDay(second)), second);
      }
    }),
  );
});

test('a clock that is set back across midnight goes back, not forward by a day', () => {
  const timeLine = new TimeLine();
  assert.deepEqual([timeLine.toSeconds('00:00:10'), timeLine.toSeconds('23:59:59')], [10, -1]);
});

test('a run without a date does not continue from the date of the previous run', () => {
  const timeLine = new TimeLine();
  timeLine.setDate(1_769_903_998_400);
  timeLine.forgetDate();
  assert.equal(timeLine.toSeconds('00:00:05'), 5);
});
