import { batchMeans } from './batch-means.js';
import { SHORTEST_HOLD_MS } from './search-plan.js';
import { WINDOW_MS } from './step-rate.js';

/** @import { Ceiling } from '../model/result.js' */

const CONFIDENCE = 0.95;

/**
 * @param {readonly number[]} windows operations that completed in each window of the hold
 * @param {number} threads
 * @returns {Ceiling | null} null where it was not held for long enough, or nothing succeeded
 */
export function ceilingOf(windows, threads) {
  const milliseconds = windows.length * WINDOW_MS;
  if (milliseconds < SHORTEST_HOLD_MS) {
    return null;
  }
  const { mean, low, high } = batchMeans(windows, WINDOW_MS / 1000);
  if (mean === 0) {
    return null;
  }
  return { operationsPerSecond: mean, low, high, confidence: CONFIDENCE, threads, seconds: milliseconds / 1000 };
}
