import { bothTails, studentT } from '../statistics/student-t.js';

/** More standard errors than that are as good as none that chance could bring. */
const MAX_ERRORS = 1000;

const HALVINGS = 60;

/**
 * A figure and how far its true value may be, on the scale of natural logarithms: there a change is a distance, and twice is
 * as far as half.
 *
 * @typedef {object} Estimate
 * @property {number} log of the figure
 * @property {number} freedom degrees of freedom of its error
 * @property {(errors: number) => number} below how far the interval of so many standard errors reaches down; Infinity where
 *   it has no end
 * @property {(errors: number) => number} above likewise, up
 *
 * @typedef {object} RatioTest of two figures
 * @property {number} low end of the interval that holds the true ratio, after ÷ before, with 95% confidence; 0 where it has
 *   none
 * @property {number} high Infinity where it has none
 * @property {number} p how often chance alone would show figures as far apart, or farther, 0 to 1: below 0.05 exactly where
 *   the interval does not hold 1
 */

/**
 * The interval of the ratio of two figures that are measured independently of each other. For intervals that reach as far
 * down as up it is that of B. L. Welch, The generalization of Student's problem when several different population variances
 * are involved, Biometrika 34 (1947). For others, the sides that count in each direction are combined: G. Y. Zou, A. Donner,
 * Construction of confidence limits about effect measures, Statistics in Medicine 27 (2008).
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
 * F. E. Satterthwaite, An approximate distribution of estimates of variance components, Biometrics Bulletin 2 (1946).
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
  // In shares of the larger one, so that no square is too large or too small.
  const most = Math.max(a, b);
  return (a / most + b / most) ** 2 / ((a / most) ** 2 / one.freedom + (b / most) ** 2 / other.freedom);
}

/**
 * @param {Estimate} estimate
 * @returns {number} of the side that is known to reach less far: one that has no end within a standard error says nothing
 */
function varianceOfLog({ below, above }) {
  const sides = [below(1), above(1)].filter(Number.isFinite);
  return sides.length === 0 ? 0 : (sides.reduce((sum, side) => sum + side, 0) / sides.length) ** 2;
}

/**
 * @param {number} distance
 * @param {(errors: number) => number} reach never less for more errors
 * @returns {number} for how many standard errors an interval reaches just as far
 */
function errorsWithin(distance, reach) {
  let [low, high] = [0, MAX_ERRORS];
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = (low + high) / 2;
    [low, high] = reach(middle) < distance ? [middle, high] : [low, middle];
  }
  return (low + high) / 2;
}
