import { meanOf, sumOf, varianceOf } from './moments.js';
import { studentT } from './student-t.js';

/** Fewer whole seconds do not show how much they depend on each other. */
export const MIN_SECONDS = 30;

const BATCHES = 6;

/** Seconds of which the means show a dependence that noise hides in each of them. */
const STRETCHES = [3, 5];

/** At more than this, a minute is less than one independent value. */
const MAX_CORRELATION = 0.97;

/**
 * How far the mean of seconds may be from the true one.
 *
 * @typedef {object} MeanError
 * @property {number} variance of the mean
 * @property {number} freedom degrees of freedom of that variance
 */

/**
 * The variance of the mean of seconds that resemble the seconds before them. Two ways lead to it, and neither may make
 * little of it: the number of independent seconds that so many dependent ones are worth, and the means of six long batches,
 * which hardly depend on each other (G. S. Fishman, Grouping observations in digital simulation, Management Science 24
 * (1978)). The one that gives the wider interval counts. Batches that grow until no dependence is found in them any more
 * cannot be used: there are too few of them in a minute for the finding to mean anything.
 *
 * @param {readonly number[]} seconds a figure of each whole second, in their order, at least {@link MIN_SECONDS}
 * @returns {MeanError}
 */
export function errorOfMean(seconds) {
  return widest([errorByCorrelation(seconds), errorByBatches(seconds)]);
}

/**
 * As {@link errorOfMean}, where much of what a second shows is chance by itself: how many of its operations took longer than
 * so and so. Such noise hides how much the seconds depend on each other, and stretches of several seconds have less of it.
 *
 * @param {readonly number[]} seconds likewise
 * @returns {MeanError}
 */
export function errorOfNoisyMean(seconds) {
  const ofStretches = STRETCHES.map((length) => errorByCorrelation(meansOf(seconds, length)));
  return widest([errorOfMean(seconds), ...ofStretches]);
}

/** @param {readonly MeanError[]} errors */
function widest(errors) {
  const halfWidth = (/** @type {MeanError} */ { variance, freedom }) => studentT(freedom) * Math.sqrt(variance);
  return errors.reduce((widestYet, error) => (halfWidth(error) > halfWidth(widestYet) ? error : widestYet));
}

/**
 * In an autoregressive process of first order, n values are worth n(1 − r) ÷ (1 + r) independent ones for the mean
 * (H. J. Thiébaux, F. W. Zwiers, The interpretation and estimation of effective sample size, Journal of Climate and Applied
 * Meteorology 23 (1984)).
 *
 * @param {readonly number[]} seconds
 * @returns {MeanError}
 */
function errorByCorrelation(seconds) {
  const correlation = lagOneCorrelation(seconds);
  const effective = (seconds.length * (1 - correlation)) / (1 + correlation);
  return { variance: varianceOf(seconds) / effective, freedom: Math.max(effective - 1, 1) };
}

/**
 * The correlation of a sample with itself a second later is too small by (1 + 4r) ÷ n (F. H. C. Marriott, J. A. Pope, Bias
 * in the estimation of autocorrelations, Biometrika 41 (1954)).
 *
 * @param {readonly number[]} seconds
 * @returns {number} without that bias, 0 to {@link MAX_CORRELATION}
 */
export function lagOneCorrelation(seconds) {
  const mean = meanOf(seconds);
  const deviations = seconds.map((value) => value - mean);
  const squares = sumOf(deviations.map((deviation) => deviation ** 2));
  if (squares === 0) {
    return 0;
  }
  const sample = sumOf(deviations.slice(1).map((deviation, place) => deviation * deviations[place])) / squares;
  const unbiased = sample + (1 + 4 * sample) / seconds.length;
  return Math.min(Math.max(unbiased, 0), MAX_CORRELATION);
}

/**
 * @param {readonly number[]} seconds
 * @returns {MeanError}
 */
function errorByBatches(seconds) {
  const means = meansOf(seconds, Math.floor(seconds.length / BATCHES)).slice(-BATCHES);
  return { variance: varianceOf(means) / BATCHES, freedom: BATCHES - 1 };
}

/**
 * What does not fill a stretch is left out at the beginning: settling is over later there than elsewhere.
 *
 * @param {readonly number[]} seconds
 * @param {number} length of a stretch
 * @returns {number[]} the mean of each
 */
function meansOf(seconds, length) {
  const used = seconds.slice(seconds.length % length);
  return Array.from({ length: used.length / length }, (_, place) =>
    meanOf(used.slice(place * length, (place + 1) * length)),
  );
}
