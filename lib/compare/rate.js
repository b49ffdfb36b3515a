import { meanOf } from '../statistics/moments.js';
import { errorOfMean } from '../statistics/dependent-mean.js';

/** @import { Estimate } from './log-ratio.js' */

/**
 * @param {readonly number[]} seconds what was done in each whole second, at least MIN_SECONDS
 * @returns {Estimate | null} of the mean; null where nothing was done
 */
export function estimateRate(seconds) {
  const mean = meanOf(seconds);
  if (mean <= 0) {
    return null;
  }
  const { variance, freedom } = errorOfMean(seconds);
  // A rate that is as steady as a clock is known to one operation all the same.
  const relative = Math.max(Math.sqrt(variance), 1 / seconds.length) / mean;
  const reach = (/** @type {number} */ errors) => errors * relative;
  return { log: Math.log(mean), freedom, below: reach, above: reach };
}
