/** @import { Load } from '../../lib/load/run-stage.js' */

/**
 * A closed loop with all threads.
 *
 * @param {Partial<Load>} [overrides]
 * @returns {Load}
 */
export function closedLoop(overrides = {}) {
  return { threads: 100_000, size: 1000, pacing: null, warmup: 0, windows: null, ...overrides };
}
