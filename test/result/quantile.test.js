import assert from 'node:assert/strict';
import { test } from 'node:test';
import { estimateQuantile, whyTooFew } from '../../lib/result/compare/estimates.js';
import { simulatedLatencies, wandering } from '../../bench/truth/simulated-runs.js';

/** @import { Histogram } from '../../lib/result/histogram.js' */

/**
 * @param {Histogram} whole
 * @param {readonly Histogram[]} seconds
 * @param {number} share
 */
function estimate(whole, seconds, share) {
  const limit = whole.at(100 * share);
  const exceedances = seconds.map((second) => ({ above: second.countAbove(limit), all: second.count }));
  return estimateQuantile(whole, exceedances, share);
}

test('the point is the quantile of the whole, and the interval grows with the number of errors', () => {
  const { whole, seconds } = simulatedLatencies({ pace: wandering(0.5), seed: 7 });
  for (const share of [0.5, 0.9, 0.99]) {
    const { log, below, above } = estimate(whole, seconds, share);
    assert.equal(log, Math.log(whole.at(100 * share)));
    for (let errors = 0; errors < 8; errors += 0.5) {
      assert.ok(below(errors) <= below(errors + 0.5) && above(errors) <= above(errors + 0.5));
    }
    assert.equal(above(1e6), Infinity);
    assert.equal(below(1e6), Infinity);
  }
});

test('too few operations above the quantile, or in too few seconds, prove nothing', () => {
  const exceedances = (/** @type {readonly number[]} */ counts) => counts.map((above) => ({ above, all: 1000 }));
  const spread = (/** @type {number} */ count) => Array.from({ length: 60 }, (_, index) => (index < count ? 10 : 0));
  assert.equal(whyTooFew(exceedances(spread(10))), null);
  assert.match(
    String(whyTooFew(exceedances(spread(9)))),
    /^only 90 operations were slower \(at least 100 are needed\)$/,
  );
  assert.match(
    String(whyTooFew(exceedances([900, ...spread(8)]))),
    /^slower operations occurred in only 9 of the one-second intervals \(at least 10 are needed\)$/,
  );
});
