/** @import { ClockFacts } from './result.js' */

/** Above this uncertainty (±), a clock's offset is useless: the store's responses contradicted each other. */
const MAX_UNCERTAINTY_MS = 5000;

/**
 * @param {ClockFacts | null | undefined} clock
 * @returns {boolean} whether it was measured, but too uncertainly
 */
export function isUnknownClock(clock) {
  return clock !== null && clock !== undefined && clock.uncertainty > MAX_UNCERTAINTY_MS;
}

/**
 * The times of a run follow the store's clock, as its host estimated it. If the estimate is too uncertain, they are converted
 * back to the host's own clock.
 *
 * @param {ClockFacts | null | undefined} clock
 * @returns {number} whole seconds to add to the times of the run
 */
export function correctionOf(clock) {
  return clock && isUnknownClock(clock) ? -Math.round(clock.offset / 1000) : 0;
}
