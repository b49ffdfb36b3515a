import { largestSize, smallestSize } from './size-distribution.js';

/** @import { SizeDistribution } from '../model/config.js' */

/** More classes would leave too few operations in each. */
const MAX_CLASSES = 12;

/** @typedef {{ from: number, to: number }} SizeClass smallest and largest object in bytes */

/**
 * Divides the sizes of a run into classes: one per weighted size, or else one per power of two (or of 4, 8 and so on,
 * to limit their number).
 *
 * @param {SizeDistribution} distribution
 * @returns {SizeClass[]} in ascending order, contiguous for continuous distributions
 */
export function sizeClasses(distribution) {
  if (distribution.kind === 'weighted') {
    return distribution.sizes.map(({ bytes }) => ({ from: bytes, to: bytes }));
  }
  const [smallest, largest] = [smallestSize(distribution), largestSize(distribution)];
  // Empty objects belong to the class of the smallest non-empty ones.
  const [lowest, highest] = [Math.max(smallest, 1), largest].map(powerBelow);
  let doublings = 1;
  while (classAt(highest, doublings) - classAt(lowest, doublings) >= MAX_CLASSES) {
    doublings += 1;
  }
  const first = classAt(lowest, doublings);
  const count = classAt(highest, doublings) - first + 1;
  return Array.from({ length: count }, (_, index) => ({
    from: index === 0 ? smallest : 2 ** ((first + index) * doublings),
    to: Math.min(2 ** ((first + index + 1) * doublings) - 1, largest),
  }));
}

/** The exponent of the largest power of two up to `bytes`. @param {number} bytes at least 1 */
function powerBelow(bytes) {
  const power = Math.round(Math.log2(bytes));
  return 2 ** power > bytes ? power - 1 : power;
}

/**
 * @param {number} power
 * @param {number} doublings per class
 */
function classAt(power, doublings) {
  return Math.floor(power / doublings);
}

/**
 * @param {readonly SizeClass[]} classes in ascending order
 * @returns {(bytes: number) => number} the index of an object's class
 */
export function classFinder(classes) {
  const last = classes.length - 1;
  return (bytes) => {
    let index = 0;
    while (index < last && bytes > classes[index].to) {
      index += 1;
    }
    return index;
  };
}
