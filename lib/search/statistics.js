/**
 * @param {readonly number[]} values
 * @returns {number} 0 where there are none
 */
export function sumOf(values) {
  return values.reduce((sum, value) => sum + value, 0);
}

/**
 * @param {readonly number[]} values at least one
 * @returns {number}
 */
export function meanOf(values) {
  return sumOf(values) / values.length;
}

/**
 * @param {readonly number[]} values at least two
 * @returns {number} the standard error of their mean, if each is independent of the others
 */
export function standardErrorOf(values) {
  const mean = meanOf(values);
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1) / values.length);
}

/**
 * The 0.975 quantile of Student's t distribution for 1, 2, 3 … degrees of freedom: NIST/SEMATECH e-Handbook of Statistical
 * Methods, section 1.3.6.7.2. A package that works it out would weigh more than all of its uses here.
 */
const QUANTILES = Object.freeze([
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11,
  2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045,
]);

/** No sample has more values than this. */
export const MAX_SAMPLE_SIZE = QUANTILES.length + 1;

/**
 * How many standard errors the mean of a sample may be away from the true one, with 95% confidence on both sides.
 *
 * @param {number} freedom degrees of freedom: values of the sample − 1, from 1 to {@link MAX_SAMPLE_SIZE} − 1
 * @returns {number}
 * @throws {RangeError}
 */
export function studentT(freedom) {
  const quantile = QUANTILES[freedom - 1];
  if (quantile === undefined) {
    throw new RangeError(`expected 1 to ${QUANTILES.length} degrees of freedom, got ${freedom}`);
  }
  return quantile;
}

/**
 * @typedef {object} RateInterval all in operations a second
 * @property {number} mean
 * @property {number} low end of the interval that holds the true rate with 95% confidence
 * @property {number} high
 * @property {number} batches that it was worked out from
 */

/** With fewer batches the test for independence has no power. */
const MIN_BATCHES = 8;

/** 0.95 quantile of the standard normal distribution. */
const ONE_SIDED_95 = 1.645;

/**
 * The mean rate of a stretch of time with its 95% confidence interval, by the method of batch means: what neighbouring
 * intervals share (a queue that is longer for a while, a connection that is slow) makes single operations depend on each
 * other, but hardly the means of long batches. Batches are doubled until a test finds them independent: G. S. Fishman,
 * Grouping observations in digital simulation, Management Science 24 (1978). More than 30 gain nothing: B. Schmeiser, Batch
 * size effects in the analysis of simulation output, Operations Research 30 (1982).
 *
 * @param {readonly number[]} counts operations that completed in consecutive intervals of equal length
 * @param {number} interval their length, in seconds
 * @returns {RateInterval}
 * @throws {RangeError} where there are fewer than two intervals
 */
export function batchMeans(counts, interval) {
  if (counts.length < 2) {
    throw new RangeError(`expected at least two intervals, got ${counts.length}`);
  }
  let batches = counts.map((count) => count / interval);
  let width = interval;
  while (batches.length > MAX_SAMPLE_SIZE || (batches.length >= 2 * MIN_BATCHES && !areIndependent(batches))) {
    batches = mergePairs(batches);
    width *= 2;
  }
  const mean = meanOf(batches);
  // Where the rate is as steady as a clock, it is still known no better than to one operation.
  const resolution = 1 / (width * batches.length);
  const half = Math.max(studentT(batches.length - 1) * standardErrorOf(batches), resolution);
  return { mean, low: Math.max(mean - half, 0), high: mean + half, batches: batches.length };
}

/**
 * @param {readonly number[]} batches an odd one, at the beginning, is left out: settling is over later there than elsewhere
 * @returns {number[]}
 */
function mergePairs(batches) {
  const even = batches.slice(batches.length % 2);
  return Array.from({ length: even.length / 2 }, (_, pair) => (even[2 * pair] + even[2 * pair + 1]) / 2);
}

/**
 * Von Neumann's test of the hypothesis that neighbours are independent, against the one that they resemble each other, in
 * the form of Fishman (1978): the statistic is about normal with mean 0 and variance (k − 2) ÷ (k² − 1) for k batches.
 *
 * @param {readonly number[]} batches
 * @returns {boolean}
 */
function areIndependent(batches) {
  const count = batches.length;
  const mean = meanOf(batches);
  const squares = batches.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const steps = batches.slice(1).reduce((sum, value, place) => sum + (value - batches[place]) ** 2, 0);
  const statistic = squares === 0 ? 0 : 1 - steps / (2 * squares);
  return statistic <= ONE_SIDED_95 * Math.sqrt((count - 2) / (count ** 2 - 1));
}
