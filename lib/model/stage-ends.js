/** @import { StageEnd } from './result.js' */

/**
 * How a stage can end, from well to badly: where its parts ended differently, it ended as the worst of them did.
 *
 * @type {readonly StageEnd[]}
 */
export const STAGE_ENDS = Object.freeze(['complete', 'stopped', 'unpaid', 'stalled', 'overloaded', 'fatal']);

/**
 * @param {readonly StageEnd[]} ends at least one
 * @returns {StageEnd} the worst of them
 */
export function worstEnd(ends) {
  return STAGE_ENDS[Math.max(...ends.map((end) => STAGE_ENDS.indexOf(end)))];
}
