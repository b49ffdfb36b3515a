import { largestSize, smallestSize } from './size-distribution.js';

/** @import { SizeDistribution } from '../model/config.js' */

/** More of them would have too few operations each. */
const MAX_CLASSES = 12;

/** @typedef {{ from: number, to: number }} SizeClass bytes of its smallest and of its largest objects */

/**
 * Divides the sizes of a run into classes: those that were given with weights each by itself; others by powers of two, or of
 * 4, 8 and so on, where there would be too many.
 *
 * @param {SizeDistribution} distribution
 * @returns {SizeClass[]} in ascending order, without a gap between continuous ones
 */
export function sizeClasses(distribution) {
  if (distribution.kind === 'weighted') {
    return distribution.sizes.map(({ bytes }) => ({ from: bytes, to: bytes }));
  }
  const [smallest, largest] = [smallestSize(distribution), largestSize(distribution)];
  // An empty object belongs to the smallest that are not empty.
  const [lowest, highest] = [Math.max(smallest, 1), largest].map(powerBelow);
  let doublings = 1;
  while (classAt(highest, doublings) - classAt(lowest, doublings) >= MAX_CLASSES) {
    doublings += 1;
  }
  const first = classAt(lowest, doublings);
  const count = classAt(highest, doublings) - first + 1;
  return Array.from({ length: count }, (_, place) => ({
    from: place === 0 ? smallest : 2 ** ((first + place) * doublings),
    to: Math.min(2 ** ((first + place + 1) * doublings) - 1, largest),
  }));
}

/**
 * @param {number} bytes at least 1
 * @returns {number} the exponent of the largest power of two that is no larger
 */
function powerBelow(bytes) {
  const power = Math.round(Math.log2(bytes));
  return 2 ** power > bytes ? power - 1 : power;
}

/**
 * @param {number} power
 * @param {number} doublings that a class has
 */
function classAt(power, doublings) {
  return Math.floor(power / doublings);
}

/**
 * @param {readonly SizeClass[]} classes in ascending order
 * @returns {(bytes: number) => number} the place of an object's class among them
 */
export function classFinder(classes) {
  const last = classes.length - 1;
  return (bytes) => {
    let place = 0;
    while (place < last && bytes > classes[place].to) {
      place += 1;
    }
    return place;
  };
}
