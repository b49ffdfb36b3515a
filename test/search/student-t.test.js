import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mean, sampleStandardDeviation } from 'simple-statistics';
import ttest from 'ttest';
import { LARGEST_SAMPLE, studentT } from '../../lib/search/student-t.js';

test('each quantile is the one that a statistics package works out', () => {
  for (let freedom = 2; freedom < LARGEST_SAMPLE; freedom += 2) {
    // Two samples of the same size and variance have as many degrees of freedom as values beside their means.
    const one = Array.from({ length: freedom / 2 + 1 }, (_, place) => place);
    const other = one.map((value) => value + 10);
    const [low, high] = ttest(other, one, { varEqual: true, alpha: 0.05 }).confidence();
    const standardError = sampleStandardDeviation(one) * Math.sqrt(2 / one.length);
    const quantile = (high - low) / 2 / standardError;
    assert.ok(Math.abs(studentT(freedom) - quantile) < 0.001, `${freedom}: ${studentT(freedom)}, not ${quantile}`);
    assert.ok(Math.abs(mean(other) - mean(one) - (low + high) / 2) < 1e-9);
  }
});

/**
 * @param {number} freedom degrees of freedom
 * @param {number} limit
 * @returns {number} the share of Student's t distribution between -limit and limit: the density is (1 + t²/ν)^(-(ν + 1)/2)
 *   but for a constant, and t = √ν tan φ makes of it cos^(ν - 1) φ, which Simpson's rule sums up
 */
function shareWithin(freedom, limit) {
  const integral = (/** @type {number} */ until) => {
    const steps = 2000;
    let sum = 0;
    for (let step = 0; step <= steps; step++) {
      const weight = step === 0 || step === steps ? 1 : step % 2 === 1 ? 4 : 2;
      sum += weight * Math.cos((until * step) / steps) ** (freedom - 1);
    }
    return (sum * until) / steps / 3;
  };
  return integral(Math.atan(limit / Math.sqrt(freedom))) / integral(Math.PI / 2);
}

test('each quantile leaves five of a hundred outside', () => {
  for (let freedom = 1; freedom < LARGEST_SAMPLE; freedom++) {
    const share = shareWithin(freedom, studentT(freedom));
    assert.ok(Math.abs(share - 0.95) < 1e-4, `${freedom}: ${share}`);
  }
});

test('the quantiles fall towards that of the normal distribution', () => {
  for (let freedom = 2; freedom < LARGEST_SAMPLE; freedom++) {
    assert.ok(studentT(freedom) < studentT(freedom - 1), String(freedom));
  }
  assert.ok(studentT(LARGEST_SAMPLE - 1) > 1.96);
});

test('degrees of freedom beyond the table are refused', () => {
  for (const freedom of [0, -1, 1.5, LARGEST_SAMPLE, NaN]) {
    assert.throws(() => studentT(freedom), /^RangeError: expected 1 to 29 degrees of freedom/);
  }
});
