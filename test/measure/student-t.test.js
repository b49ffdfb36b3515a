import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bothTails, studentT } from '../../lib/measure/statistics/student-t.js';
import ttest from 'ttest';

test('with many degrees of freedom it approaches the normal distribution', () => {
  assert.ok(Math.abs(studentT(1e7) / 1.95996 - 1) < 0.002);
});

test("both tails match a statistics package, also with Welch's degrees of freedom", () => {
  const sample = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 3, maxLength: 12 });
  const samples = fc.tuple(sample, sample).filter((pair) => pair.every((values) => new Set(values).size > 1));
  fc.assert(
    fc.property(samples, ([one, other]) => {
      const welch = ttest(one, other, { varEqual: false, alpha: 0.05 });
      const found = bothTails(welch.testValue(), welch.freedom());
      assert.ok(Math.abs(found - welch.pValue()) < 2e-3, `${found}, not ${welch.pValue()}`);
    }),
  );
});

/**
 * @param {number} freedom degrees of freedom
 * @param {number} limit
 * @returns {number} share of Student's t distribution between -limit and limit. Its density is (1 + t²/ν)^(-(ν + 1)/2) up to a
 *   constant; t = √ν tan φ turns it into cos^(ν - 1) φ, which Simpson's rule integrates
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

test('each quantile leaves 5% outside, also for fractional degrees of freedom', () => {
  for (let freedom = 1; freedom < 60; freedom += 0.5) {
    const share = shareWithin(freedom, studentT(freedom));
    assert.ok(Math.abs(share - 0.95) < (Number.isInteger(freedom) ? 1e-4 : 4e-3), `${freedom}: ${share}`);
    assert.ok(Math.abs(bothTails(studentT(freedom), freedom) - 0.05) < 1e-9);
  }
});

test('the sign of a difference does not change its probability', () => {
  assert.equal(bothTails(-2.5, 7), bothTails(2.5, 7));
  assert.equal(bothTails(0, 7), 1);
});

test('zero degrees of freedom are refused', () => {
  for (const freedom of [0, -1, NaN]) {
    assert.throws(() => studentT(freedom), /^RangeError: expected degrees of freedom above 0/);
  }
});
