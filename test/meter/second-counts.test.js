import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SecondCounts, peakOf } from '../../lib/meter/second-counts.js';
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

test('an operation counts in the whole epoch second in which it completed', () => {
  fc.assert(
    fc.property(anyStage, ({ offset, steps, rest }) => {
      const { clock, counts } = countsFrom(offset);
      const expected = new Map();
      for (const { after, bytes } of steps) {
        clock.advance(after);
        counts.add(clock.now(), bytes);
        const second = Math.floor(clock.epochNow() / 1000);
        const { operations, bytes: sum } = expected.get(second) ?? { operations: 0, bytes: 0 };
        expected.set(second, { second, operations: operations + 1, bytes: sum + bytes });
      }
      clock.advance(rest);
      for (const count of counts.until(clock.now())) {
        assert.deepEqual(count, expected.get(count.second) ?? { second: count.second, operations: 0, bytes: 0 });
        expected.delete(count.second);
      }
      assert.equal(expected.size, 0, 'a second with operations is missing');
    }),
  );
});

test('the seconds of a stage follow each other without a gap, from its start to its end', () => {
  fc.assert(
    fc.property(anyStage, ({ offset, steps, rest }) => {
      const { clock, counts } = countsFrom(offset);
      for (const { after, bytes } of steps) {
        clock.advance(after);
        counts.add(clock.now(), bytes);
      }
      clock.advance(rest);
      const seconds = counts.until(clock.now()).map(({ second }) => second);
      assert.deepEqual(
        seconds,
        seconds.map((_, place) => EPOCH_SECOND + place),
      );
      const last = EPOCH_SECOND + seconds.length - 1;
      assert.ok(last * 1000 <= clock.epochNow() && (last + 1) * 1000 >= clock.epochNow());
    }),
  );
});

test('a stage that ends on a boundary has no second behind it, unless an operation completed at that moment', () => {
  const { clock, counts } = countsFrom(0);
  clock.advance(2000);
  assert.deepEqual(
    counts.until(clock.now()).map(({ second }) => second - EPOCH_SECOND),
    [0, 1],
  );
  counts.add(clock.now(), 7);
  assert.deepEqual(counts.until(clock.now()).at(-1), { second: EPOCH_SECOND + 2, operations: 1, bytes: 7 });
});

test('a stage of no length has one second', () => {
  const { clock, counts } = countsFrom(300);
  assert.deepEqual(counts.until(clock.now()), [{ second: EPOCH_SECOND, operations: 0, bytes: 0 }]);
});

const STARTED = 10_400;
const SECONDS = [
  { second: 10, operations: 900, bytes: 0 },
  { second: 11, operations: 300, bytes: 0 },
  { second: 12, operations: 500, bytes: 0 },
  { second: 13, operations: 800, bytes: 0 },
];

test('the peak is the largest count of a second that lies wholly inside the stage', () => {
  assert.equal(peakOf(SECONDS, { startedAt: STARTED, endedAt: 13_900, average: 100 }), 500);
});

test('the first and the last second count for the peak where the stage begins and ends on their boundaries', () => {
  assert.equal(peakOf(SECONDS, { startedAt: 10_000, endedAt: 13_900, average: 100 }), 900);
  assert.equal(peakOf(SECONDS.slice(1), { startedAt: STARTED, endedAt: 14_000, average: 100 }), 800);
});

test('the peak is the mean where that is larger, or no second is whole', () => {
  assert.equal(peakOf(SECONDS, { startedAt: STARTED, endedAt: 13_900, average: 714.3 }), 714.3);
  assert.equal(peakOf(SECONDS.slice(0, 2), { startedAt: STARTED, endedAt: 11_300, average: 1333 }), 1333);
});

test('a peak is never below the mean, and never above both the mean and every second', () => {
  const counts = fc.array(fc.nat(10_000), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(counts, fc.nat(999), fc.nat(999), fc.nat(5000), (operations, from, to, average) => {
      const seconds = operations.map((count, place) => ({ second: place, operations: count, bytes: 0 }));
      const stage = { startedAt: from, endedAt: (operations.length - 1) * 1000 + to, average };
      const peak = peakOf(seconds, stage);
      assert.ok(peak >= average && peak <= Math.max(average, ...operations));
      assert.ok(peak === average || operations.includes(peak));
    }),
  );
});

test('what several cores counted by themselves adds up to what one would have counted', () => {
  const steps = fc.array(fc.record({ after: fc.nat(1500), bytes: fc.nat(1e6), core: fc.nat(2) }), { maxLength: 60 });
  fc.assert(
    fc.property(fc.nat(999), steps, fc.array(fc.nat(1500), { minLength: 3, maxLength: 3 }), (offset, all, starts) => {
      const { clock, counts: expected } = countsFrom(offset);
      const begun = clock.now();
      const sum = new SecondCounts(clock, begun);
      const cores = starts.map((start) => new SecondCounts(clock, begun + start));
      // Past the last start: a core that starts on the boundary of a second, and does nothing in it, has that second.
      clock.advance(Math.max(...starts) + 1);
      for (const { after, bytes, core } of all) {
        clock.advance(after);
        expected.add(clock.now(), bytes);
        cores[core].add(clock.now(), bytes);
      }
      cores.forEach((core) => sum.addSeconds(structuredClone(core.until(clock.now()))));
      assert.deepEqual(sum.until(clock.now()), expected.until(clock.now()));
    }),
    { examples: [[10, [], [990, 0, 0]]] },
  );
});
