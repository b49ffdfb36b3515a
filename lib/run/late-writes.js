import { LATE_WRITES_MS } from '../cleanup/cleanup.js';
import { MAX_SLICE_MS, runsSlices } from '../edge/slice.js';

/** @import { RunConfig } from '../model/run-config.js' */

/**
 * Whoever is gone, the Worker goes on with its slice.
 *
 * @param {Pick<RunConfig, 'client' | 'through'>} config
 * @returns {{ lateWrites?: number }} ms after which no write is under way any more; nothing where it is as long as for any store
 */
export function lateWritesOf(config) {
  return runsSlices(config) ? { lateWrites: MAX_SLICE_MS + LATE_WRITES_MS } : {};
}
