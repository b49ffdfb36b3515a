import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SecondCounts } from '../../lib/measure/second-counts.js';
import { ManualClock } from '../helpers/manual-clock.js';

const EPOCH_SECOND = 1_700_000_000;

/** @param {number} milliseconds into the second in which the stage starts */
function countsFrom(milliseconds) {
  const clock = new ManualClock(EPOCH_SECOND * 1000 + milliseconds);
  return { clock, counts: new SecondCounts(clock, clock.now()) };
}

const anyStage = fc.record({
  offset: fc.nat(999),
  steps: fc.array(fc.record({ after: fc.nat(1500), bytes: fc.nat(100_000) }), { maxLength: 60 }),
  rest: fc.nat(3000),
});

test('an operation counts in the whole epoch second in which it completed, and seconds cover the stage', () => {
  fc.assert(
    fc.property(anyStage, ({ offset, steps, rest }) => {
      const { clock, counts } = countsFrom(offset);
      const expected = new Map();
      for (const { after, bytes } of steps) {
        clock.advance(after);
        counts.add(clock.now(), bytes);
        const second = Math.floor(clock.epochNow() / 1000);
        const { operations, bytes: sum } = expected.get(second) ?? { operations: 0, bytes: 0 };
        expected.set(second, { secondStart: second, operations: operations + 1, bytes: sum + bytes });
      }
      clock.advance(rest);
      const seconds = counts.until(clock.now());
      for (const [index, count] of seconds.entries()) {
        const { secondStart } = count;
        assert.equal(secondStart, EPOCH_SECOND + index, 'there is no gap');
        assert.deepEqual(count, expected.get(secondStart) ?? { secondStart, operations: 0, bytes: 0 });
        expected.delete(secondStart);
      }
      assert.equal(expected.size, 0, 'a second with operations is missing');
      const last = EPOCH_SECOND + seconds.length - 1;
      assert.ok(last * 1000 <= clock.epochNow() && (last + 1) * 1000 >= clock.epochNow());
    }),
  );
});

test('a failed attempt counts in its second, throttled ones separately', () => {
  const { clock, counts } = countsFrom(900);
  counts.addFailure(clock.now(), true);
  clock.advance(200);
  counts.addFailure(clock.now(), false);
  counts.add(clock.now(), 10);
  clock.advance(1000);
  assert.deepEqual(counts.until(clock.now()), [
    { secondStart: EPOCH_SECOND, operations: 0, bytes: 0, failedAttempts: 1, throttled: 1 },
    { secondStart: EPOCH_SECOND + 1, operations: 1, bytes: 10, failedAttempts: 1, throttled: 0 },
    { secondStart: EPOCH_SECOND + 2, operations: 0, bytes: 0 },
  ]);
});
