/** @import { ClockFacts } from './result.js' */

/** If a clock is more uncertain than this, ± ms, its offset is of no use: the store's answers contradicted each other. */
const MAX_UNCERTAINTY_MS = 5000;

/**
 * @param {ClockFacts | null | undefined} clock
 * @returns {boolean} whether it was measured, and is too uncertain to rely on
 */
export function isUnknownClock(clock) {
  return clock !== null && clock !== undefined && clock.uncertainty > MAX_UNCERTAINTY_MS;
}

/**
 * The times of a run are the store's as its host took them to be. If the store's clock is not known, they are turned back
 * into those of the host's own clock.
 *
 * @param {ClockFacts | null | undefined} clock
 * @returns {number} whole seconds to be added to the times of the run
 */
export function correctionOf(clock) {
  return clock && isUnknownClock(clock) ? -Math.round(clock.offset / 1000) : 0;
}
