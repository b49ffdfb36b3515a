/** @import { StageEnd } from './result.js' */

/**
 * How a stage can end, from best to worst. If its parts ended differently, the worst end counts.
 *
 * @type {readonly StageEnd[]}
 */
export const STAGE_ENDS = Object.freeze(['complete', 'stopped', 'unpaid', 'stalled', 'overloaded', 'fatal']);

/**
 * @param {readonly StageEnd[]} ends at least one
 * @returns {StageEnd} the worst
 */
export function worstEnd(ends) {
  return STAGE_ENDS[Math.max(...ends.map((end) => STAGE_ENDS.indexOf(end)))];
}
