import { meanOf, standardErrorOf } from './moments.js';
import { studentT } from './student-t.js';

/** @import { Capacity } from '../../result/result.js' */

/** @typedef {{ mean: number, low: number, high: number, batches: number }} RateInterval ops/s, with 95% confidence */

const CONFIDENCE = 0.95;

/** With fewer batches, the test for independence has no power. */
const MIN_BATCHES = 8;

/**
 * More batches gain nothing: B. Schmeiser, Batch size effects in the analysis of simulation output, Operations Research
 * 30 (1982).
 */
const MAX_BATCHES = 30;

/** 0.95 quantile of the standard normal distribution. */
const ONE_SIDED_95 = 1.645;

/**
 * The mean rate with its 95% confidence interval, by the method of batch means. Single operations depend on each other
 * (they share a queue or a slow connection), but the means of long batches hardly do. Batch length doubles until a test
 * finds them independent: G. S. Fishman, Grouping observations in digital simulation, Management Science 24 (1978).
 *
 * @param {readonly number[]} counts operations that completed in consecutive intervals of equal length
 * @param {number} interval seconds
 * @returns {RateInterval}
 * @throws {RangeError} if there are fewer than two intervals
 */
export function batchMeans(counts, interval) {
  if (counts.length < 2) {
    throw new RangeError(`expected at least two intervals, got ${counts.length}`);
  }
  let batches = counts.map((count) => count / interval);
  let width = interval;
  while (batches.length > MAX_BATCHES || (batches.length >= 2 * MIN_BATCHES && !areIndependent(batches))) {
    batches = mergePairs(batches);
    width *= 2;
  }
  const mean = meanOf(batches);
  // Counts are whole operations, so even a perfectly steady rate is known only to within one operation.
  const resolution = 1 / (width * batches.length);
  const half = Math.max(studentT(batches.length - 1) * standardErrorOf(batches), resolution);
  return { mean, low: Math.max(mean - half, 0), high: mean + half, batches: batches.length };
}

/**
 * @param {readonly number[]} counts as for {@link batchMeans}
 * @param {number} interval seconds
 * @param {number} threads
 * @returns {Capacity | null} null if nothing succeeded, or if there are fewer than two intervals
 */
export function capacityOf(counts, interval, threads) {
  if (counts.length < 2 || !counts.some((count) => count > 0)) {
    return null;
  }
  const { mean, low, high } = batchMeans(counts, interval);
  return { operationsPerSecond: mean, low, high, confidence: CONFIDENCE, threads, seconds: interval * counts.length };
}

/** @param {readonly number[]} batches if odd in number, the first is dropped, because settling affects it most */
function mergePairs(batches) {
  const even = batches.slice(batches.length % 2);
  return Array.from({ length: even.length / 2 }, (_, pair) => (even[2 * pair] + even[2 * pair + 1]) / 2);
}

/**
 * Von Neumann's test of independence against positive correlation of neighbours, in Fishman's form (1978): for k
 * batches the statistic is about normal with mean 0 and variance (k − 2) ÷ (k² − 1).
 *
 * @param {readonly number[]} batches
 */
function areIndependent(batches) {
  const count = batches.length;
  const mean = meanOf(batches);
  const squares = batches.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const steps = batches.slice(1).reduce((sum, value, index) => sum + (value - batches[index]) ** 2, 0);
  const statistic = squares === 0 ? 0 : 1 - steps / (2 * squares);
  return statistic <= ONE_SIDED_95 * Math.sqrt((count - 2) / (count ** 2 - 1));
}
