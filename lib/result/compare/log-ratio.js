import { bothTails, studentT } from '../../measure/statistics/student-t.js';
import { figureNamed } from '../figures/catalogue.js';

/**
 * @import { ComparisonVerdict } from '../comparison.js'
 * @import { MetricFinding } from './compare-stage.js'
 */

/** Upper bound of a search for a number of standard errors: chance alone never produces this many. */
const MAX_ERRORS = 1000;

const HALVINGS = 60;

/**
 * A figure and its uncertainty as natural logarithms, so that a ratio is a distance: doubling is as far as halving.
 *
 * @typedef {object} Estimate
 * @property {number} log of the figure
 * @property {number} freedom degrees of freedom of its error
 * @property {(errors: number) => number} below distance down to the end of an interval of this many standard errors;
 *   Infinity if it is unbounded
 * @property {(errors: number) => number} above distance up to the other end, likewise
 *
 * @typedef {object} RatioTest
 * @property {number} low lower end of the 95% interval of after ÷ before; 0 if it is unbounded
 * @property {number} high Infinity if it is unbounded
 * @property {number} p probability that chance alone gives figures at least this far apart: below 0.05 exactly if the
 *   interval excludes 1
 */

/**
 * The interval of the ratio of two independently measured figures. For symmetric intervals, this is Welch's (B. L.
 * Welch, The generalization of Student's problem when several different population variances are involved, Biometrika
 * 34 (1947)). For asymmetric intervals, each end is computed separately: G. Y. Zou, A. Donner, Construction of
 * confidence limits about effect measures, Statistics in Medicine 27 (2008).
 *
 * @param {Estimate} before
 * @param {Estimate} after
 * @returns {RatioTest}
 */
export function testRatio(before, after) {
  const distance = after.log - before.log;
  const down = (/** @type {number} */ errors) => Math.hypot(after.below(errors), before.above(errors));
  const up = (/** @type {number} */ errors) => Math.hypot(after.above(errors), before.below(errors));
  const freedom = welchFreedom(before, after);
  const errors = studentT(freedom);
  return {
    low: Math.exp(distance - down(errors)),
    high: Math.exp(distance + up(errors)),
    p: bothTails(errorsWithin(Math.abs(distance), distance > 0 ? down : up), freedom),
  };
}

/**
 * See F. E. Satterthwaite, An approximate distribution of estimates of variance components, Biometrics Bulletin 2
 * (1946).
 *
 * @param {Estimate} one
 * @param {Estimate} other
 * @returns {number} degrees of freedom of their difference
 */
function welchFreedom(one, other) {
  const [a, b] = [one, other].map(varianceOfLog);
  if (a === 0 || b === 0) {
    return a === b ? Math.min(one.freedom, other.freedom) : a === 0 ? other.freedom : one.freedom;
  }
  // Relative to the larger variance, so that no square overflows or underflows.
  const largest = Math.max(a, b);
  return (a / largest + b / largest) ** 2 / ((a / largest) ** 2 / one.freedom + (b / largest) ** 2 / other.freedom);
}

/** Ignores a side of the interval that is unbounded at one standard error. @param {Estimate} estimate */
function varianceOfLog({ below, above }) {
  const sides = [below(1), above(1)].filter(Number.isFinite);
  return sides.length === 0 ? 0 : (sides.reduce((sum, side) => sum + side, 0) / sides.length) ** 2;
}

/**
 * @param {number} distance
 * @param {(errors: number) => number} reach must not decrease
 * @returns {number} the number of standard errors at which an interval reaches this far
 */
function errorsWithin(distance, reach) {
  let [low, high] = [0, MAX_ERRORS];
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = (low + high) / 2;
    [low, high] = reach(middle) < distance ? [middle, high] : [low, middle];
  }
  return (low + high) / 2;
}

/**
 * Raises the p-values of several tests so that the chance of any false alarm among them stays that of a single test: S.
 * Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6 (1979).
 *
 * @param {readonly (RatioTest | null)[]} tests
 * @returns {Map<RatioTest | null, number>} the adjusted value of each test, 0 to 1
 */
export function adjustByHolm(tests) {
  const known = tests.filter((test) => test !== null).sort((one, other) => one.p - other.p);
  let minimum = 0;
  return new Map(
    known.map((test, rank) => {
      minimum = Math.max(minimum, Math.min((known.length - rank) * test.p, 1));
      return [test, minimum];
    }),
  );
}

/** The confidence level of each interval, and of all tests together. */
export const CONFIDENCE = 0.95;

/**
 * @param {string} metric
 * @param {boolean} isMore whether the figure increased
 * @returns {ComparisonVerdict}
 */
function wordFor(metric, isMore) {
  const { isLatency = false, quantity } = figureNamed(metric) ?? {};
  if (isLatency) {
    return isMore ? 'slower' : 'faster';
  }
  return quantity === 'rate' ? (isMore ? 'faster' : 'slower') : isMore ? 'more' : 'fewer';
}

const NO_INTERVAL = 'the figure varies too much from second to second to compute an interval: use longer runs';

/**
 * Checks the margin first: if the whole interval is within it, even a proven difference is too small to matter.
 *
 * @param {MetricFinding} finding
 * @param {number} margin
 * @param {ReadonlyMap<RatioTest | null, number>} adjusted values of p for the number of tests
 * @returns {{ verdict: ComparisonVerdict, reason: string | null }}
 */
export function verdictOf({ metric, before, after, test, reason }, margin, adjusted) {
  if (test === null) {
    const isNever = metric === 'errorShare' && before === 0 && after === 0;
    return isNever ? { verdict: 'the same', reason: null } : { verdict: 'cannot tell', reason };
  }
  const { low, high } = test;
  if (low >= 1 / (1 + margin) && high <= 1 + margin) {
    return { verdict: 'the same', reason: null };
  }
  if (Number(adjusted.get(test)) < 1 - CONFIDENCE) {
    return { verdict: wordFor(metric, Number(after) > Number(before)), reason: null };
  }
  if (low === 0 && high === Infinity) {
    return { verdict: 'cannot tell', reason: NO_INTERVAL };
  }
  const isAlone = test.p < 1 - CONFIDENCE;
  return {
    verdict: 'cannot tell',
    reason: isAlone
      ? `with ${adjusted.size} figures, chance alone can make one differ this much: longer runs would tell`
      : `it may not have changed, or may have changed by more than ${Number((100 * margin).toFixed(2))}%: longer runs would tell`,
  };
}
