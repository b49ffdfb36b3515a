import { errorOfNoisyMean } from '../../measure/statistics/dependent-mean.js';
import { meanOf, sumOf } from '../../measure/statistics/moments.js';

/**
 * @import { Histogram } from '../histogram.js'
 * @import { Estimate } from './log-ratio.js'
 */

/** With fewer operations slower than the quantile, the estimate depends mostly on chance. */
const MIN_EXCEEDANCES = 100;

/** Operations slower than the quantile must occur in at least this many seconds. */
const MIN_SECONDS_WITH = 10;

/** Relative resolution of a histogram with three digits. */
const RESOLUTION = 0.001;

/**
 * @typedef {{ above: number, all: number }} Exceedances operations in a second that took longer than the stage's quantile
 *
 * @param {readonly Exceedances[]} seconds
 * @returns {string | null} why too few operations exceed the quantile; null if there are enough
 */
export function whyTooFew(seconds) {
  const exceedances = sumOf(seconds.map(({ above }) => above));
  if (exceedances < MIN_EXCEEDANCES) {
    return `only ${exceedances} operations were slower (at least ${MIN_EXCEEDANCES} are needed)`;
  }
  const withSome = seconds.filter(({ above }) => above > 0).length;
  return withSome < MIN_SECONDS_WITH
    ? `slower operations occurred in only ${withSome} of the one-second intervals (at least ${MIN_SECONDS_WITH} are needed)`
    : null;
}

/**
 * The interval of a quantile by R. S. Woodruff, Confidence intervals for medians and other position measures, Journal
 * of the American Statistical Association 47 (1952). The share of operations above the quantile is a mean with a known
 * error. The quantiles at the ends of this mean's interval are the ends of the quantile's interval. The error is that
 * of a ratio of two sums over seconds (W. G. Cochran, Sampling Techniques, 1977, chapter 6). As in a rate, neighbouring
 * seconds are not independent.
 *
 * @param {Histogram} whole the stage
 * @param {readonly Exceedances[]} seconds
 * @param {number} share such as 0.99
 * @returns {Estimate}
 */
export function estimateQuantile(whole, seconds, share) {
  const all = meanOf(seconds.map((second) => second.all));
  const exceeding = meanOf(seconds.map((second) => second.above)) / all;
  const { variance, freedom } = errorOfNoisyMean(seconds.map((second) => second.above - exceeding * second.all));
  const error = Math.sqrt(variance) / all;
  const logAt = (/** @type {number} */ part) => Math.log(whole.at(100 * part));
  const log = logAt(share);
  return {
    log,
    freedom,
    below(errors) {
      const lower = share - errors * error;
      return lower <= 0 ? Infinity : Math.max(log - logAt(lower), errors * RESOLUTION);
    },
    above(errors) {
      const upper = share + errors * error;
      return upper >= 1 ? Infinity : Math.max(logAt(upper) - log, errors * RESOLUTION);
    },
  };
}
