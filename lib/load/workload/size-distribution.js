import { quote } from '../../text/quote.js';
import { formatSize, parseSize, sizeRange } from '../../text/units.js';
import { mixIndex, seedOf } from './mix.js';

/** @import { SizeDistribution } from '../../result/config.js' */

/** Limits on weighted sizes, which must fit in a machine line of the log. */
const MAX_SIZES = 10;
const MAX_LENGTH = 150;

/** Number of equally spaced quantiles from which a mean is computed. */
const MEAN_POINTS = 10_000;

const WEIGHTED = /^([^=]+)=([1-9][0-9]{0,5})$/;

/**
 * @param {string} text
 * @returns {number | SizeDistribution} bytes, if all objects have one size
 * @throws {RangeError} that states what was expected
 */
export function parseSizes(text) {
  if (text.includes('=') || text.includes(',')) {
    return parseWeighted(text);
  }
  return text.includes('..') ? parseRange(text) : parseSize(text);
}

/**
 * @param {string} text such as `4KiB..1MiB`
 * @returns {SizeDistribution}
 */
function parseRange(text) {
  const [min, max, ...further] = text.split('..').map(parseSize);
  if (min < 1 || max <= min || further.length > 0) {
    throw new RangeError(
      `expected a smallest size of at least 1 byte, and a larger one after the dots, got ${quote(text)}`,
    );
  }
  return { kind: 'log-uniform', min, max };
}

/**
 * @param {string} text such as `4KiB=60,256KiB=30,8MiB=10`
 * @returns {SizeDistribution} with sizes in ascending order
 */
function parseWeighted(text) {
  const sizes = text.split(',').map((part) => {
    const [, size, weight] = WEIGHTED.exec(part.trim()) ?? [];
    if (size === undefined) {
      throw new RangeError(`expected sizes with whole-number weights, such as 4KiB=60,8MiB=40, got ${quote(text)}`);
    }
    return { bytes: parseSize(size), weight: Number(weight) };
  });
  sizes.sort((one, other) => one.bytes - other.bytes);
  const isDistinct = sizes.every(({ bytes }, index) => bytes !== sizes[index - 1]?.bytes);
  if (sizes.length < 2 || sizes.length > MAX_SIZES || !isDistinct) {
    throw new RangeError(`expected 2 to ${MAX_SIZES} different sizes, got ${quote(text)}`);
  }
  /** @type {SizeDistribution} */
  const distribution = { kind: 'weighted', sizes };
  if (formatSizes(distribution).length > MAX_LENGTH) {
    throw new RangeError(`expected at most ${MAX_LENGTH} characters of sizes and weights, got more`);
  }
  return distribution;
}

/**
 * @param {Float64Array} bytes of known objects, at least one
 * @returns {{ size: number, sizes: SizeDistribution | undefined }} of the largest, and the distribution if sizes differ
 */
export function listedSizes(bytes) {
  const sorted = new Float64Array(bytes).sort();
  const last = sorted.length - 1;
  const quantiles = Array.from({ length: 101 }, (_, percent) => sorted[Math.floor((percent * last) / 100)]);
  return { size: sorted[last], sizes: sorted[0] === sorted[last] ? undefined : { kind: 'listed', quantiles } };
}

/** The canonical text; `listed` for the sizes of existing objects. @param {SizeDistribution} distribution */
export function formatSizes(distribution) {
  switch (distribution.kind) {
    case 'log-uniform':
      return `${formatSize(distribution.min)}..${formatSize(distribution.max)}`;
    case 'listed':
      return distribution.kind;
    default:
      return distribution.sizes.map(({ bytes, weight }) => `${formatSize(bytes)}=${weight}`).join(',');
  }
}

/** The value of `--size` that describes a run's objects. @param {{ size: number, sizes?: SizeDistribution }} config */
export function sizeText({ size, sizes }) {
  return sizes === undefined ? formatSize(size) : formatSizes(sizes);
}

/** The sizes of a run's objects, for people. @param {{ size: number, sizes?: SizeDistribution }} config */
export function sizesText({ size, sizes }) {
  return sizes?.kind === 'listed' ? sizeRange(smallestSize(sizes), size) : sizeText({ size, sizes });
}

/**
 * @param {SizeDistribution} distribution
 * @returns {(share: number) => number} quantile function: the size in bytes at a share in [0, 1)
 */
export function sizeQuantile(distribution) {
  switch (distribution.kind) {
    case 'log-uniform': {
      const { min, max } = distribution;
      // Rounding down turns each value from n up to n + 1 into size n.
      const width = Math.log((max + 1) / min);
      return (share) => Math.min(Math.max(Math.floor(min * Math.exp(share * width)), min), max);
    }
    case 'listed': {
      const { quantiles } = distribution;
      return (share) => quantiles[Math.min(Math.floor(share * (quantiles.length - 1)), quantiles.length - 1)];
    }
    default:
      return weightedQuantile(distribution.sizes);
  }
}

/**
 * @param {readonly { bytes: number, weight: number }[]} sizes
 * @returns {(share: number) => number}
 */
function weightedQuantile(sizes) {
  const total = totalOf(sizes);
  let upTo = 0;
  const bounds = sizes.map(({ weight }) => (upTo += weight) / total);
  const last = sizes.length - 1;
  return (share) => {
    let index = 0;
    while (index < last && share >= bounds[index]) {
      index += 1;
    }
    return sizes[index].bytes;
  };
}

/** @param {readonly { weight: number }[]} sizes */
function totalOf(sizes) {
  return sizes.reduce((sum, { weight }) => sum + weight, 0);
}

/** Bytes of the largest object. @param {SizeDistribution} distribution */
export function largestSize(distribution) {
  return distribution.kind === 'log-uniform' ? distribution.max : sizeQuantile(distribution)(1);
}

/** Bytes of the smallest object. @param {SizeDistribution} distribution */
export function smallestSize(distribution) {
  return sizeQuantile(distribution)(0);
}

/** Bytes of the median object, to estimate a median time. @param {{ size: number, sizes?: SizeDistribution }} config */
export function typicalSize({ size, sizes }) {
  return sizes === undefined ? size : sizeQuantile(sizes)(0.5);
}

/** Mean object size in whole bytes. @param {{ size: number, sizes?: SizeDistribution }} config */
export function averageSize({ size, sizes }) {
  return sizes === undefined ? size : Math.round(meanOver(sizes, (each) => each));
}

/**
 * @param {SizeDistribution} distribution
 * @param {(size: number) => number} valueOf the value of an object of this many bytes
 * @returns {number} mean value over all objects; accurate to a thousandth if `valueOf` is smooth
 */
export function meanOver(distribution, valueOf) {
  if (distribution.kind === 'weighted') {
    const { sizes } = distribution;
    return sizes.reduce((sum, { bytes, weight }) => sum + valueOf(bytes) * weight, 0) / totalOf(sizes);
  }
  const quantile = sizeQuantile(distribution);
  let sum = 0;
  for (let point = 0; point < MEAN_POINTS; point += 1) {
    sum += valueOf(quantile((point + 0.5) / MEAN_POINTS));
  }
  return sum / MEAN_POINTS;
}

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
  // Hosts with other objects have the same classes, so that a merge can add them up.
  const isListed = distribution.kind === 'listed';
  const start = isListed ? Math.min(first, 1) * 2 ** (first * doublings) : smallest;
  return Array.from({ length: count }, (_, index) => ({
    from: index === 0 ? start : 2 ** ((first + index) * doublings),
    to: Math.min(2 ** ((first + index + 1) * doublings) - 1, isListed ? Infinity : largest),
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
