import { mean, sampleStandardDeviation, sampleVariance } from 'simple-statistics';
import ttest from 'ttest';

/**
 * @typedef {object} Comparison of the means of two samples by Welch's t-test, which does not assume equal variances
 * @property {Moments} one
 * @property {Moments} other
 * @property {number} difference of the means: other − one
 * @property {[number, number]} interval 95% confidence interval of the difference
 * @property {number} t
 * @property {number} freedom degrees of freedom (Welch–Satterthwaite)
 * @property {number} p two-sided
 * @property {number} effect Hedges' g: the difference in standard deviations
 *
 * @typedef {{ count: number, mean: number, standardDeviation: number }} Moments
 */

/**
 * @param {number[]} values at least two
 * @returns {Moments}
 */
function momentsOf(values) {
  return { count: values.length, mean: mean(values), standardDeviation: sampleStandardDeviation(values) };
}

/**
 * @param {number[]} one at least two values that differ
 * @param {number[]} other at least two values that differ
 * @returns {Comparison}
 */
export function compareMeans(one, other) {
  const test = ttest(other, one, { varEqual: false, alpha: 0.05 });
  return {
    one: momentsOf(one),
    other: momentsOf(other),
    difference: mean(other) - mean(one),
    interval: test.confidence(),
    t: test.testValue(),
    freedom: test.freedom(),
    p: test.pValue(),
    effect: hedgesG(one, other),
  };
}

/**
 * Cohen's d over the pooled standard deviation, with Hedges' correction for small samples: L. V. Hedges, Distribution
 * theory for Glass's estimator of effect size and related estimators, 1981.
 *
 * @param {number[]} one
 * @param {number[]} other
 */
function hedgesG(one, other) {
  const freedom = one.length + other.length - 2;
  const pooled = ((one.length - 1) * sampleVariance(one) + (other.length - 1) * sampleVariance(other)) / freedom;
  return ((mean(other) - mean(one)) / Math.sqrt(pooled)) * (1 - 3 / (4 * freedom - 1));
}
