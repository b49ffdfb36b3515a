import { incompleteBeta } from '../../measure/statistics/student-t.js';

/** @import { RatioTest } from './log-ratio.js' */

/** Probability on each side of the interval. */
const TAIL = 0.025;

const HALVINGS = 200;

/** @typedef {{ failed: number, attempts: number }} Failures counts of attempts; `attempts` is at least 1 in a test */

/**
 * An exact test of whether one side failed more often. If all attempts are equally likely to fail, the number of
 * failures in `after` is binomial (J. Przyborowski, H. Wilenski, Homogeneity of results in testing samples from Poisson
 * series, Biometrika 31 (1940)). The interval is that of C. J. Clopper, E. S. Pearson, The use of confidence or
 * fiducial limits illustrated in the case of the binomial, Biometrika 26 (1934).
 *
 * @param {Failures} before
 * @param {Failures} after
 * @returns {RatioTest | null} of the shares of failed attempts; null if no attempt failed
 */
export function testFailures(before, after) {
  const failed = before.failed + after.failed;
  if (failed === 0) {
    return null;
  }
  const odds = before.attempts / after.attempts;
  const expected = after.attempts / (before.attempts + after.attempts);
  return {
    low: odds * oddsOf(lowestShare(after.failed, failed)),
    high: odds * oddsOf(1 - lowestShare(before.failed, failed)),
    p: Math.min(2 * atLeast(after.failed, failed, expected), 2 * atLeast(before.failed, failed, 1 - expected), 1),
  };
}

/** Infinity for a share of 1. @param {number} share */
function oddsOf(share) {
  return share / (1 - share);
}

/**
 * @param {number} successes
 * @param {number} trials
 * @param {number} share probability of success
 * @returns {number} probability of at least this many successes
 */
function atLeast(successes, trials, share) {
  return successes === 0 ? 1 : incompleteBeta(share, successes, trials - successes + 1);
}

/**
 * @param {number} successes
 * @param {number} trials
 * @returns {number} the smallest share with which at least this many successes have a probability of TAIL
 */
function lowestShare(successes, trials) {
  if (successes === 0) {
    return 0;
  }
  let [low, high] = [0, successes / trials];
  for (let halving = 0; halving < HALVINGS && high - low > Number.EPSILON * high; halving += 1) {
    const middle = (low + high) / 2;
    [low, high] = atLeast(successes, trials, middle) < TAIL ? [middle, high] : [low, middle];
  }
  return low;
}
