import { LATE_WRITES_MS } from '../cleanup/cleanup.js';
import { MAX_SLICE_MS, runsSlices } from '../edge/slice.js';

/** @import { Config } from '../model/config.js' */

/**
 * Whoever is gone, the Worker goes on with its slice.
 *
 * @param {Config} config
 * @returns {{ lateWrites?: number }} ms after which no write is under way any more; nothing where it is as long as for any store
 */
export function lateWritesOf(config) {
  return runsSlices(config.load) ? { lateWrites: MAX_SLICE_MS + LATE_WRITES_MS } : {};
}
