import { meanOf, sumOf, varianceOf } from './moments.js';
import { studentT } from './student-t.js';

/** Fewer seconds do not show how strongly they depend on each other. */
export const MIN_SECONDS = 30;

const BATCHES = 6;

/** Lengths of the stretches whose means show a dependence that noise hides in single seconds. */
const STRETCHES = [3, 5];

/** At a higher correlation, a minute is worth less than one independent value. */
const MAX_CORRELATION = 0.97;

/**
 * The uncertainty of a mean.
 *
 * @typedef {object} MeanError
 * @property {number} variance of the mean
 * @property {number} freedom degrees of freedom of that variance
 */

/**
 * The variance of the mean of seconds that resemble their predecessors. Two estimates are made: one from the number of
 * independent seconds that the dependent ones are worth, and one from the means of six long batches, which hardly depend on
 * each other (G. S. Fishman, Grouping observations in digital simulation, Management Science 24 (1978)). The wider interval
 * counts, so that neither understates the error. Growing the batches until they show no more dependence does not work: a
 * minute has too few of them.
 *
 * @param {readonly number[]} seconds one figure per whole second, in order, at least {@link MIN_SECONDS}
 * @returns {MeanError}
 */
export function errorOfMean(seconds) {
  return widest([errorByCorrelation(seconds), errorByBatches(seconds)]);
}

/**
 * As {@link errorOfMean}, for figures that are mostly chance in a single second, such as its number of slow operations. Such
 * noise hides how strongly the seconds depend on each other; stretches of several seconds have less of it.
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
 * For the mean, n values of a first-order autoregressive process are worth n(1 − r) ÷ (1 + r) independent ones
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

/**
 * @param {readonly number[]} seconds
 * @returns {MeanError}
 */
function errorByBatches(seconds) {
  const means = meansOf(seconds, Math.floor(seconds.length / BATCHES)).slice(-BATCHES);
  return { variance: varianceOf(means) / BATCHES, freedom: BATCHES - 1 };
}

/**
 * The first seconds that do not fill a stretch are left out, because the stage may still be settling there.
 *
 * @param {readonly number[]} seconds
 * @param {number} length of a stretch
 * @returns {number[]} one per stretch
 */
function meansOf(seconds, length) {
  const used = seconds.slice(seconds.length % length);
  return Array.from({ length: used.length / length }, (_, index) =>
    meanOf(used.slice(index * length, (index + 1) * length)),
  );
}
