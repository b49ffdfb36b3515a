import { mixIndex, seedOf } from './mix.js';
import { largestSize, sizeQuantile } from './size-distribution.js';

/** @import { SizeDistribution } from '../model/config.js' */

const TWO_TO_THE_32 = 2 ** 32;

/**
 * Sizes of a run's objects: a pure function of run ID and index, so that any host can verify any object.
 *
 * @param {object} options
 * @param {string} options.runId
 * @param {number} options.size bytes of the largest object; if it is smaller than the largest size of the distribution
 *   (a search halves its objects), all sizes are scaled down
 * @param {SizeDistribution} [options.sizes] absent if all objects have one size
 * @returns {(index: number) => number} bytes of an object, by its index in the whole run
 */
export function objectSizes({ runId, size, sizes }) {
  if (sizes === undefined) {
    return () => size;
  }
  const seed = seedOf(`sizes of ${runId}`);
  const quantile = sizeQuantile(sizes);
  const largest = largestSize(sizes);
  const sizeOf = (/** @type {number} */ index) => quantile(mixIndex(index, seed) / TWO_TO_THE_32);
  return size === largest ? sizeOf : (index) => Math.floor((sizeOf(index) * size) / largest);
}
