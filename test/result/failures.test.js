import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testRatio } from '../../lib/result/compare/log-ratio.js';
import { estimateFailures } from '../../lib/result/compare/estimates.js';

/**
 * @param {number} before failures of as many attempts
 * @param {number} after
 */
function tested(before, after) {
  const [one, other] = [before, after].map((failed) => estimateFailures({ failed, attempts: 10_000_000 }));
  return testRatio(one, other);
}

/** The exact probability, by the binomial distribution of equally likely sides. @type {typeof tested} */
function exactly(before, after) {
  const failed = before + after;
  let [probability, tail] = [0.5 ** failed, 0];
  for (let count = 0; count <= Math.min(before, after); count += 1) {
    tail += probability;
    probability *= (failed - count) / (count + 1);
  }
  return /** @type {any} */ ({ p: Math.min(2 * tail, 1) });
}

test('the probability is about that of the binomial distribution where it matters', () => {
  for (const [before, after] of [
    [0, 5],
    [0, 7],
    [3, 12],
    [10, 30],
    [40, 60],
    [100, 140],
  ]) {
    const [found, expected] = [tested(before, after).p, exactly(before, after).p];
    assert.ok(found > 0.6 * expected && found < 1.4 * expected, `${before}, ${after}: ${found}, exactly ${expected}`);
  }
});

test('without failures before, the ratio has no upper bound, and a few failures prove nothing', () => {
  assert.deepEqual([tested(0, 5).high, tested(5, 0).low], [Infinity, 0]);
  assert.ok(tested(0, 3).p > 0.05);
});

test('it handles millions of attempts', () => {
  const { p, low, high } = tested(400_000, 410_000);
  assert.ok(p < 1e-20 && low > 1.02 && high < 1.03, `${p}, ${low} to ${high}`);
});
