import { meanOf, standardErrorOf } from '../statistics/moments.js';
import { errorOfMean } from '../statistics/dependent-mean.js';

/** @import { Estimate } from './log-ratio.js' */

/**
 * @param {readonly number[]} seconds amount per whole second, at least MIN_SECONDS
 * @returns {Estimate | null} of the mean; null if it is 0
 */
export function estimateRate(seconds) {
  const mean = meanOf(seconds);
  if (mean <= 0) {
    return null;
  }
  const { variance, freedom } = errorOfMean(seconds);
  // Even a perfectly steady rate is known only to within one operation.
  const relative = Math.max(Math.sqrt(variance), 1 / seconds.length) / mean;
  const reach = (/** @type {number} */ errors) => errors * relative;
  return { log: Math.log(mean), freedom, below: reach, above: reach };
}

/**
 * @param {readonly number[]} values of repeated runs, at least two, above 0
 * @returns {Estimate} of their geometric mean
 */
export function estimateOfRuns(values) {
  const logs = values.map(Math.log);
  const error = standardErrorOf(logs);
  const reach = (/** @type {number} */ errors) => errors * error;
  return { log: meanOf(logs), freedom: logs.length - 1, below: reach, above: reach };
}
