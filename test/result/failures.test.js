import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { testFailures } from '../../lib/result/compare/compare-stage.js';

/**
 * @param {number} n
 * @param {number} p
 * @returns {number[]} probability of each number of successes
 */
function binomial(n, p) {
  const probabilities = [(1 - p) ** n];
  for (let k = 1; k <= n; k += 1) {
    probabilities.push((probabilities[k - 1] * (n - k + 1) * p) / (k * (1 - p)));
  }
  return probabilities;
}

/** @param {readonly number[]} values */
function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

const side = fc.record({ failed: fc.integer({ min: 0, max: 30 }), attempts: fc.integer({ min: 100, max: 100_000 }) });
const pair = fc.tuple(side, side).filter(([one, other]) => one.failed + other.failed > 0);

test('the probability is the sum of the binomial distribution', () => {
  fc.assert(
    fc.property(pair, ([before, after]) => {
      const failed = before.failed + after.failed;
      const probabilities = binomial(failed, after.attempts / (before.attempts + after.attempts));
      const tails = [sum(probabilities.slice(after.failed)), sum(probabilities.slice(0, after.failed + 1))];
      const expected = Math.min(2 * Math.min(...tails), 1);
      const found = testFailures(before, after)?.p;
      assert.ok(Math.abs(Number(found) - expected) < 1e-9, `${found}, not ${expected}`);
    }),
  );
});

test('at the ends of the interval, the finding is just too improbable', () => {
  fc.assert(
    fc.property(pair, ([before, after]) => {
      const failed = before.failed + after.failed;
      const { low, high } = /** @type {NonNullable<ReturnType<typeof testFailures>>} */ (testFailures(before, after));
      const shareAt = (/** @type {number} */ ratio) => {
        const odds = (ratio * after.attempts) / before.attempts;
        return odds / (1 + odds);
      };
      if (after.failed > 0) {
        assert.ok(Math.abs(sum(binomial(failed, shareAt(low)).slice(after.failed)) - 0.025) < 1e-6);
      } else {
        assert.equal(low, 0);
      }
      if (before.failed > 0) {
        assert.ok(Math.abs(sum(binomial(failed, shareAt(high)).slice(0, after.failed + 1)) - 0.025) < 1e-6);
      } else {
        assert.equal(high, Infinity);
      }
    }),
  );
});

test('it handles millions of attempts', () => {
  const found = testFailures({ failed: 400_000, attempts: 20_000_000 }, { failed: 410_000, attempts: 20_000_000 });
  assert.ok(found !== null && found.p < 1e-20 && found.low > 1.02 && found.high < 1.03, JSON.stringify(found));
});
