import { mixIndex, seedOf } from './mix.js';
import { largestSize, sizeQuantile } from './size-distribution.js';

/** @import { SizeDistribution } from '../model/config.js' */

const TWO_TO_THE_32 = 2 ** 32;

/**
 * How large the objects of a run are: a pure function of run id and index, so that any host can check any object.
 *
 * @param {object} options
 * @param {string} options.runId
 * @param {number} options.size bytes of the largest object; where that is less than the distribution has, as in the steps of
 *   a search that halve the objects, all sizes are in proportion
 * @param {SizeDistribution} [options.sizes] absent where all objects are of one size
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
