/** @import { ClockFacts } from './result.js' */

/** Above this uncertainty (±), a clock's offset is useless, because the store's responses contradicted each other. */
const MAX_UNCERTAINTY_MS = 5000;

/** Whether the offset was measured, but too uncertainly. @param {ClockFacts | null | undefined} clock */
export function isUnknownClock(clock) {
  return clock !== null && clock !== undefined && clock.uncertainty > MAX_UNCERTAINTY_MS;
}

/**
 * @param {ClockFacts | null | undefined} clock
 * @returns {number} whole seconds to add to the times of a run: they follow the store's clock as the host estimated it,
 *   and are converted back to the host's own clock if the estimate is too uncertain
 */
export function correctionOf(clock) {
  return clock && isUnknownClock(clock) ? -Math.round(clock.offset / 1000) : 0;
}
