import { SCHEMA } from './schema.js';

/** @import { StageEnd } from './result.js' */

/** From best to worst. If parts of a stage ended differently, the worst end counts. @type {readonly StageEnd[]} */
export const STAGE_ENDS = /** @type {StageEnd[]} */ (SCHEMA.$defs.stage.properties.end['x-order']);

/** @param {readonly StageEnd[]} ends at least one */
export function worstEnd(ends) {
  return STAGE_ENDS[Math.max(...ends.map((end) => STAGE_ENDS.indexOf(end)))];
}
