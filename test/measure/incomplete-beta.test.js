import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { incompleteBeta } from '../../lib/measure/statistics/student-t.js';

/** Multiples of 2^-20, whose complements to 1 are exact. */
const share = fc.integer({ min: 0, max: 2 ** 20 }).map((part) => part / 2 ** 20);

/**
 * @param {number} found
 * @param {number} expected
 * @param {number} [precision]
 */
function assertClose(found, expected, precision = 1e-10) {
  assert.ok(Math.abs(found - expected) <= precision, `${found}, expected ${expected}`);
}

test('it is the binomial distribution summed from a upwards', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.nat(), share, (n, index, p) => {
      const least = 1 + (index % n);
      let probability = (1 - p) ** n;
      let sum = 0;
      for (let k = 1; k <= n && p < 1; k += 1) {
        probability *= ((n - k + 1) / k) * (p / (1 - p));
        sum += k >= least ? probability : 0;
      }
      assertClose(incompleteBeta(p, least, n - least + 1), p === 1 ? 1 : sum, 1e-9);
    }),
  );
});

test('the two sides add up to 1, and the function increases', () => {
  const parameter = fc.double({ min: 0.1, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(share, share, parameter, parameter, (one, other, a, b) => {
      assertClose(incompleteBeta(one, a, b) + incompleteBeta(1 - one, b, a), 1, 1e-6);
      const [low, high] = [Math.min(one, other), Math.max(one, other)];
      assert.ok(incompleteBeta(low, a, b) <= incompleteBeta(high, a, b) + 1e-9);
    }),
  );
});

test('it handles counts of a billion', () => {
  // By the central limit theorem, half of the distribution is below its mean.
  assertClose(incompleteBeta(0.5, 5e8, 5e8), 0.5, 1e-4);
  const deviation = Math.sqrt(0.25 / 1e9);
  assertClose(incompleteBeta(0.5 + 1.959964 * deviation, 5e8, 5e8), 0.975, 1e-4);
});
