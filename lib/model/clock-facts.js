/** @import { ClockFacts } from './result.js' */

/** Above this uncertainty (±), a clock's offset is useless, because the store's responses contradicted each other. */
const MAX_UNCERTAINTY_MS = 5000;

/** Whether the offset was measured, but is too uncertain to be used. @param {ClockFacts | null | undefined} clock */
export function isUnknownClock(clock) {
  return clock !== null && clock !== undefined && clock.uncertainty > MAX_UNCERTAINTY_MS;
}

/**
 * @param {ClockFacts | null | undefined} clock
 * @returns {number} whole seconds to add to the times of a run. These times follow the store's clock as the host
 *   estimated it. If the estimate is too uncertain, this correction converts them back to the host's own clock
 */
export function correctionOf(clock) {
  return clock && isUnknownClock(clock) ? -Math.round(clock.offset / 1000) : 0;
}
