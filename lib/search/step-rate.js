import { meanOf, standardErrorOf } from '../statistics/moments.js';
import { batchMeans } from './batch-means.js';

/** @import { SearchPhase } from '../model/search.js' */

/** Length in ms of the windows in which a step's operations are counted. */
export const WINDOW_MS = 250;

export const MIN_WINDOWS = 3;

/** Maximum relative error of a rate: a handful of windows can suggest more uncertainty than a step ever has. */
const MAX_ERROR = 0.03;

/**
 * @typedef {{ threads: number, rate: number, error: number }} StepRate rate in ops/s, and its standard error
 * @typedef {{ mean: number, p50: number }} Latency ms
 */

/**
 * The rate of a closed loop. Threads that start together also finish together for a while, so a short count might
 * include one round too many. The rate cannot exceed what the threads can do at their mean latency (Little's law: J. D.
 * C. Little, A proof for the queuing formula L = λW, Operations Research 9 (1961)). The mean might include operations
 * that waited longer because all started at once, so a smaller median replaces it.
 *
 * @param {{ windows: readonly number[], threads: number, latency: Latency }} step `windows`: operations that completed
 *   in windows of {@link WINDOW_MS}, at least two
 * @returns {StepRate}
 */
export function stepRate({ windows, threads, latency }) {
  const rates = ratesOf(windows);
  const rate = Math.min(meanOf(rates), (1000 * threads) / Math.min(latency.mean, latency.p50));
  return { threads, rate, error: Math.min(standardErrorOf(rates), MAX_ERROR * rate) };
}

/**
 * The rate on which a search bases its decisions, and the only one that its tables show.
 *
 * @param {SearchPhase} phase
 * @param {{ windows: readonly number[], threads: number, latency: Latency | null }} step see {@link stepRate},
 *   but with any number of windows; `latency` is null if no operation succeeded
 * @returns {number} per second
 */
export function decisiveRate(phase, { windows, threads, latency }) {
  if (windows.length < 2 || latency === null) {
    return windows.length === 0 ? 0 : meanOf(ratesOf(windows));
  }
  return phase === 'hold' ? batchMeans(windows, WINDOW_MS / 1000).mean : stepRate({ windows, threads, latency }).rate;
}

/**
 * @param {readonly number[]} windows operations that completed in windows of equal length
 * @param {number} precision maximum standard error, as a share of the mean
 * @returns {boolean} whether they agree well enough to end a step; false if nothing completes
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

/** Rounds down to whole windows. @param {number} duration ms */
export function inWholeWindows(duration) {
  return Math.floor(duration / WINDOW_MS) * WINDOW_MS;
}
