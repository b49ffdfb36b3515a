import { meanOf, standardErrorOf } from '../statistics/moments.js';
import { batchMeans } from './batch-means.js';

/**
 * @import { SearchPhase } from '../model/search.js'
 */

/** The length of the windows in which the operations of a step are counted, in ms. */
export const WINDOW_MS = 250;

/** Fewer windows make no step. */
export const MIN_WINDOWS = 3;

/** A handful of windows may look as if they were more uncertain than a step ever is. */
const MAX_ERROR = 0.03;

/**
 * @typedef {object} StepRate
 * @property {number} threads
 * @property {number} rate operations a second
 * @property {number} error its standard error, in operations a second
 *
 * @typedef {{ mean: number, p50: number }} Latency ms
 */

/**
 * The rate of a closed loop with a number of threads. Threads that start together come back together for a while, so that
 * a count of short duration may hold a round too many: it cannot be more than the threads can do at their mean latency
 * (Little's law: J. D. C. Little, A proof for the queuing formula L = λW, Operations Research 9 (1961)). The mean may hold
 * some that waited for longer when all began at once: where the median is less, it stands in for it.
 *
 * @param {object} step
 * @param {readonly number[]} step.windows operations that completed in windows of {@link WINDOW_MS}, at least two
 * @param {number} step.threads
 * @param {Latency} step.latency of its operations
 * @returns {StepRate}
 */
export function stepRate({ windows, threads, latency }) {
  const rates = ratesOf(windows);
  const rate = Math.min(meanOf(rates), (1000 * threads) / Math.min(latency.mean, latency.p50));
  return { threads, rate, error: Math.min(standardErrorOf(rates), MAX_ERROR * rate) };
}

/**
 * The rate that a search goes by: its tables show no other.
 *
 * @param {SearchPhase} phase
 * @param {object} step
 * @param {readonly number[]} step.windows operations that completed in windows of {@link WINDOW_MS}
 * @param {number} step.threads
 * @param {Latency | null} step.latency of its operations; null where none succeeded
 * @returns {number} operations a second
 */
export function decisiveRate(phase, { windows, threads, latency }) {
  if (windows.length < 2 || latency === null) {
    return windows.length === 0 ? 0 : meanOf(ratesOf(windows));
  }
  return phase === 'hold' ? batchMeans(windows, WINDOW_MS / 1000).mean : stepRate({ windows, threads, latency }).rate;
}

/**
 * @param {readonly number[]} windows operations that completed in windows of equal length
 * @param {number} precision the standard error that is allowed, as a share of the mean
 * @returns {boolean} whether they agree well enough for a step to end; where nothing completes there is nothing to agree on
 */
export function isSteady(windows, precision) {
  if (windows.length < MIN_WINDOWS) {
    return false;
  }
  const mean = meanOf(windows);
  return mean > 0 && standardErrorOf(windows) <= precision * mean;
}

/** @param {readonly number[]} windows */
function ratesOf(windows) {
  return windows.map((count) => (1000 * count) / WINDOW_MS);
}
