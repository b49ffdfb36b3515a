import { meanOf, sumOf, varianceOf } from './moments.js';
import { studentT } from './student-t.js';

/** Minimum number of seconds for an estimate of how strongly they are correlated. */
export const MIN_SECONDS = 30;

const BATCHES = 6;

/** Lengths in seconds. Means over such stretches show a correlation that noise hides in single seconds. */
const STRETCHES = [3, 5];

/** At a higher correlation, a minute is worth less than one independent value. */
const MAX_CORRELATION = 0.97;

/** @typedef {{ variance: number, freedom: number }} MeanError variance of the mean, and its degrees of freedom */

/**
 * The variance of the mean of correlated seconds. Makes two estimates: one from the effective number of independent
 * seconds, and one from the means of six long batches, which are almost independent (G. S. Fishman, Grouping
 * observations in digital simulation, Management Science 24 (1978)). Returns the estimate with the wider interval, so
 * as not to understate the error. Batches that are long enough to be independent would be too few in a minute.
 *
 * @param {readonly number[]} seconds one figure per whole second, in order, at least {@link MIN_SECONDS}
 * @returns {MeanError}
 */
export function errorOfMean(seconds) {
  return widest([errorByCorrelation(seconds), errorByBatches(seconds)]);
}

/**
 * Like {@link errorOfMean}, for figures with much random noise in single seconds, such as the number of slow
 * operations. Noise hides how strongly the seconds are correlated; means over several seconds have less noise.
 *
 * @param {readonly number[]} seconds
 * @returns {MeanError}
 */
export function errorOfNoisyMean(seconds) {
  const fromStretches = STRETCHES.map((length) => errorByCorrelation(meansOf(seconds, length)));
  return widest([errorOfMean(seconds), ...fromStretches]);
}

/** @param {readonly MeanError[]} errors */
function widest(errors) {
  const halfWidth = (/** @type {MeanError} */ { variance, freedom }) => studentT(freedom) * Math.sqrt(variance);
  return errors.reduce((widestYet, error) => (halfWidth(error) > halfWidth(widestYet) ? error : widestYet));
}

/**
 * For the mean, n values of a first-order autoregressive process are worth n(1 − r) ÷ (1 + r) independent values (H. J.
 * Thiébaux, F. W. Zwiers, The interpretation and estimation of effective sample size, Journal of Climate and Applied
 * Meteorology 23 (1984)).
 *
 * @param {readonly number[]} seconds
 */
function errorByCorrelation(seconds) {
  const correlation = lagOneCorrelation(seconds);
  const effective = (seconds.length * (1 - correlation)) / (1 + correlation);
  return { variance: varianceOf(seconds) / effective, freedom: Math.max(effective - 1, 1) };
}

/**
 * The lag-one correlation of a sample is too small by (1 + 4r) ÷ n (F. H. C. Marriott, J. A. Pope, Bias
 * in the estimation of autocorrelations, Biometrika 41 (1954)).
 *
 * @param {readonly number[]} seconds
 * @returns {number} corrected for that bias, 0 to {@link MAX_CORRELATION}
 */
export function lagOneCorrelation(seconds) {
  const mean = meanOf(seconds);
  const deviations = seconds.map((value) => value - mean);
  const squares = sumOf(deviations.map((deviation) => deviation ** 2));
  if (squares === 0) {
    return 0;
  }
  const sample = sumOf(deviations.slice(1).map((deviation, index) => deviation * deviations[index])) / squares;
  const unbiased = sample + (1 + 4 * sample) / seconds.length;
  return Math.min(Math.max(unbiased, 0), MAX_CORRELATION);
}

/** @param {readonly number[]} seconds */
function errorByBatches(seconds) {
  const means = meansOf(seconds, Math.floor(seconds.length / BATCHES)).slice(-BATCHES);
  return { variance: varianceOf(means) / BATCHES, freedom: BATCHES - 1 };
}

/**
 * Means over consecutive stretches. If the seconds do not divide evenly, skips the first ones, in which the stage may
 * still be settling.
 *
 * @param {readonly number[]} seconds
 * @param {number} length of a stretch
 */
function meansOf(seconds, length) {
  const used = seconds.slice(seconds.length % length);
  return Array.from({ length: used.length / length }, (_, index) =>
    meanOf(used.slice(index * length, (index + 1) * length)),
  );
}
