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

test('each quantile leaves 5% outside, also for fractional degrees of freedom', () => {
  for (let freedom = 1; freedom < 60; freedom += 0.5) {
    assert.ok(Math.abs(bothTails(studentT(freedom), freedom) - 0.05) < 1e-9);
  }
});

test('zero degrees of freedom are refused', () => {
  for (const freedom of [0, -1, NaN]) {
    assert.throws(() => studentT(freedom), /^RangeError: expected degrees of freedom above 0/);
  }
});
