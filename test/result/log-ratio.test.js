import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import ttest from 'ttest';
import { testRatio } from '../../lib/result/compare/log-ratio.js';
import { meanOf, standardErrorOf } from '../../lib/measure/statistics/moments.js';

/** @import { Estimate } from '../../lib/result/compare/log-ratio.js' */

/**
 * @param {number} log
 * @param {number} down of one standard error
 * @param {number} [up]
 * @param {number} [freedom]
 * @returns {Estimate}
 */
function estimate(log, down, up = down, freedom = 20) {
  return { log, freedom, below: (errors) => errors * down, above: (errors) => errors * up };
}

const anyEstimate = fc
  .record({
    log: fc.double({ min: -3, max: 3, noNaN: true }),
    down: fc.double({ min: 0.001, max: 1, noNaN: true }),
    up: fc.double({ min: 0.001, max: 1, noNaN: true }),
    freedom: fc.double({ min: 1, max: 100, noNaN: true }),
  })
  .map(({ log, down, up, freedom }) => estimate(log, down, up, freedom));

test("for symmetric intervals it is Welch's test", () => {
  const sample = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 4, maxLength: 20 });
  const samples = fc.tuple(sample, sample).filter((pair) => pair.every((values) => new Set(values).size > 2));
  fc.assert(
    fc.property(samples, (pair) => {
      const logs = pair.map((values) => values.map(Math.log));
      const [before, after] = logs.map((values) =>
        estimate(meanOf(values), standardErrorOf(values), standardErrorOf(values), values.length - 1),
      );
      const welch = ttest(logs[1], logs[0], { varEqual: false, alpha: 0.05 });
      const found = testRatio(before, after);
      const [low, high] = welch.confidence().map(Math.exp);
      assert.ok(
        Math.abs(Math.log(found.low / low)) < 0.02 * Math.log(high / low) &&
          Math.abs(Math.log(found.high / high)) < 0.02 * Math.log(high / low),
      );
      assert.ok(Math.abs(found.p - welch.pValue()) < 2e-3, `${found.p}, not ${welch.pValue()}`);
    }),
  );
});

test('the interval contains the ratio, and excludes 1 exactly if the probability is below 5%', () => {
  fc.assert(
    fc.property(anyEstimate, anyEstimate, (before, after) => {
      const { low, high, p } = testRatio(before, after);
      const ratio = Math.exp(after.log - before.log);
      assert.ok(low <= ratio && ratio <= high);
      if (Math.abs(p - 0.05) > 1e-9) {
        assert.equal(p < 0.05, low > 1 || high < 1, `${low} to ${high}: ${p}`);
      }
    }),
  );
});

test('swapping the sides inverts everything', () => {
  fc.assert(
    fc.property(anyEstimate, anyEstimate, (one, other) => {
      const [forth, back] = [testRatio(one, other), testRatio(other, one)];
      assert.ok(Math.abs(Math.log(forth.low) + Math.log(back.high)) < 1e-9);
      assert.ok(Math.abs(Math.log(forth.high) + Math.log(back.low)) < 1e-9);
      assert.ok(Math.abs(forth.p - back.p) < 1e-9);
    }),
  );
});

test('an unbounded side leaves the ratio unbounded in its direction only', () => {
  const endless = { ...estimate(0, 0.01), above: () => Infinity };
  const before = testRatio(endless, estimate(1, 0.01));
  assert.ok(before.low === 0 && Number.isFinite(before.high));
  assert.ok(before.p > 1 - 1e-9);
  const after = testRatio(estimate(-1, 0.01), endless);
  assert.ok(after.high === Infinity && after.low > 1);
  assert.ok(after.p < 0.001);
});
