/** @import { StageEnd } from './result.js' */

/** From best to worst. If parts of a stage ended differently, the worst end counts. @type {readonly StageEnd[]} */
export const STAGE_ENDS = Object.freeze(['complete', 'stopped', 'unpaid', 'stalled', 'overloaded', 'fatal']);

/** @param {readonly StageEnd[]} ends at least one */
export function worstEnd(ends) {
  return STAGE_ENDS[Math.max(...ends.map((end) => STAGE_ENDS.indexOf(end)))];
}
