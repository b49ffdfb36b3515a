/** @import { ValueCounts } from '../model/run-events.js' */

const MICROSECONDS = 1e6;

// Both kinds of buckets are made from the run's own histograms, whose values are at most 0.1% above the true ones: so far is a
// value that lies just below a bound maybe counted above it. No value is lost or counted twice.

/**
 * The scale of exponential histograms: the bounds of a bucket are powers of 2 ^ (2 ^ -scale), here 2.2% apart, so that the middle
 * of a bucket is within 1.1% of every value in it.
 * https://opentelemetry.io/docs/specs/otel/metrics/data-model/#exponentialhistogram
 */
export const EXPONENTIAL_SCALE = 5;

const BASE = 2 ** (2 ** -EXPONENTIAL_SCALE);

/** Seconds: what took less than half a microsecond is counted as nothing. */
export const ZERO_THRESHOLD = 0.5 / MICROSECONDS;

/** Ten to a power of ten, rounded as resistors and capacitors are (R10), so that each is about 1.26 times the one before. */
const STEPS = [100, 125, 160, 200, 250, 315, 400, 500, 630, 800];

/** From 100 µs to 80 s. */
const POWERS = [1, 10, 100, 1000, 10_000, 100_000];

/** The upper bounds of the buckets for Prometheus, in µs, in ascending order; what is above is in a further one. */
const CLASSIC_BOUNDS_US = POWERS.flatMap((power) => STEPS.map((step) => power * step));

/** The same in seconds. */
export const CLASSIC_BOUNDS = Object.freeze(CLASSIC_BOUNDS_US.map((bound) => bound / MICROSECONDS));

/** No values. @type {ValueCounts} */
export const NO_VALUES = Object.freeze({
  values: [],
  counts: [],
  count: 0,
  sum: 0,
  minimum: Infinity,
  maximum: 0,
});

/**
 * @param {ValueCounts} one
 * @param {ValueCounts} other
 * @returns {ValueCounts} of both, each value once
 */
export function sumOfValues(one, other) {
  if (one.count === 0 || other.count === 0) {
    return one.count === 0 ? other : one;
  }
  /** @type {Map<number, number>} */
  const sums = new Map();
  for (const { values, counts } of [one, other]) {
    values.forEach((value, place) => sums.set(value, (sums.get(value) ?? 0) + counts[place]));
  }
  return {
    values: [...sums.keys()],
    counts: [...sums.values()],
    count: one.count + other.count,
    sum: one.sum + other.sum,
    minimum: Math.min(one.minimum, other.minimum),
    maximum: Math.max(one.maximum, other.maximum),
  };
}

/**
 * @param {ValueCounts} values
 * @returns {ExponentialBuckets} the first bucket is the one with the index `offset`: a bucket holds what is above base ^ index and at
 *   most base ^ (index + 1) seconds
 *
 * @typedef {{ zeroCount: number, offset: number, bucketCounts: readonly number[] }} ExponentialBuckets
 */
export const exponentialBuckets = remembered(({ values, counts }) => {
  /** @type {Map<number, number>} */
  const buckets = new Map();
  let zeroCount = 0;
  // Neighbours are mostly in one bucket: a logarithm for each of them would be most of what an export costs.
  let [index, above, upTo] = [0, Infinity, -Infinity];
  for (let place = 0; place < values.length; place += 1) {
    const value = values[place];
    if (value === 0) {
      zeroCount += counts[place];
    } else {
      if (value <= above || value > upTo) {
        index = bucketIndex(value);
        above = MICROSECONDS * BASE ** index;
        upTo = above * BASE;
      }
      buckets.set(index, (buckets.get(index) ?? 0) + counts[place]);
    }
  }
  if (buckets.size === 0) {
    return { zeroCount, offset: 0, bucketCounts: [] };
  }
  const offset = Math.min(...buckets.keys());
  const length = Math.max(...buckets.keys()) - offset + 1;
  return { zeroCount, offset, bucketCounts: Array.from({ length }, (_, place) => buckets.get(offset + place) ?? 0) };
});

/** @param {number} value µs, more than nothing */
function bucketIndex(value) {
  return Math.ceil(Math.log2(value / MICROSECONDS) * 2 ** EXPONENTIAL_SCALE) - 1;
}

/**
 * @param {ValueCounts} values
 * @returns {readonly number[]} how many are at most each of {@link CLASSIC_BOUNDS}
 */
export const classicBuckets = remembered(({ values, counts }) => {
  const buckets = CLASSIC_BOUNDS_US.map(() => 0);
  for (let place = 0; place < values.length; place += 1) {
    const bucket = firstBoundAtLeast(values[place]);
    if (bucket < buckets.length) {
      buckets[bucket] += counts[place];
    }
  }
  let sum = 0;
  return buckets.map((count) => (sum += count));
});

/**
 * What has been worked out of a stage that is over stays as it is.
 *
 * @template Result
 * @param {(values: ValueCounts) => Result} workOut
 * @returns {(values: ValueCounts) => Result}
 */
function remembered(workOut) {
  /** @type {WeakMap<ValueCounts, Result>} */
  const known = new WeakMap();
  return (values) => {
    const result = known.get(values) ?? workOut(values);
    known.set(values, result);
    return result;
  };
}

/**
 * @param {number} value µs
 * @returns {number} the place of the bound; one more than the last where all are below
 */
function firstBoundAtLeast(value) {
  let low = 0;
  let high = CLASSIC_BOUNDS_US.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (CLASSIC_BOUNDS_US[middle] < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
