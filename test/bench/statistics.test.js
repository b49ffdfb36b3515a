import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareMeans, momentsOf } from '../../bench/studies/statistics.js';

/** @param {number} actual @param {number} expected */
function assertClose(actual, expected) {
  assert.ok(Math.abs(actual - expected) <= 1e-6 * Math.max(1, Math.abs(expected)), `${actual} is not ${expected}`);
}

test("Welch's test gives what R's t.test gives for the published example", () => {
  const one = [29.89, 29.93, 29.72, 29.98, 30.02, 29.98];
  const other = [30.02, 29.99, 30.11, 29.97, 30.01, 29.99];
  const { t, freedom, p, difference, interval } = compareMeans(one, other);
  assertClose(t, 1.959006);
  assertClose(freedom, 7.03056);
  assertClose(p, 0.09077332);
  assertClose(difference, 0.095);
  assertClose((interval[0] + interval[1]) / 2, 0.095);
});

test('the effect size is the difference in standard deviations, corrected for small samples', () => {
  // d = 2 / 1 between these two, and the correction for 4 degrees of freedom is 1 − 3/15.
  const { effect } = compareMeans([1, 2, 3], [3, 4, 5]);
  assertClose(effect, 2 * 0.8);
});

test('the standard deviation is that of a sample', () => {
  assert.deepEqual(momentsOf([2, 4, 6]), { count: 3, mean: 4, standardDeviation: 2 });
});

test('swapping the samples flips the signs and keeps p', () => {
  const sample = fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 3, maxLength: 20 });
  const varied = sample.filter((values) => new Set(values).size > 1);
  fc.assert(
    fc.property(varied, varied, (one, other) => {
      const there = compareMeans(one, other);
      const back = compareMeans(other, one);
      assertClose(there.difference, -back.difference);
      assertClose(there.t, -back.t);
      assertClose(there.effect, -back.effect);
      assertClose(there.p, back.p);
    }),
  );
});
