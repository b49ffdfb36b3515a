import { DOLLARS_A_MILLION, priceOf, stagesBilledAs } from '../operations/prices.js';

/** @import { RunConfig } from '../run/run-config.js' */

const R2_HOST = /\.r2\.cloudflarestorage\.com$/i;

const EXCLUDED = 'without retries, clean-up and what is asked before the stages';

/**
 * What a run costs on R2, before it begins.
 *
 * @param {Pick<RunConfig, 'objects' | 'stages' | 'store' | 'duration' | 'findPeak'>} config
 * @returns {string | null} one line, or null for a store that is not R2
 */
export function costLine({ objects, stages, store, duration, findPeak = false }) {
  if (!R2_HOST.test(store.hostname)) {
    return null;
  }
  const classA = objects * stagesBilledAs('A', stages);
  if (duration !== undefined || findPeak) {
    const most = dollarsOf({ objects, stages: stages.filter((stage) => stage === 'write') }).toFixed(4);
    return (
      `Cost at R2's list prices: at most $${most} for ${classA} Class A operations, and $${DOLLARS_A_MILLION.B} for each million Class B, ` +
      `for as long as the stages last; ${EXCLUDED}; each month 1 million and 10 million are free`
    );
  }
  const classB = objects * stagesBilledAs('B', stages);
  const dollars = dollarsOf({ objects, stages }).toFixed(4);
  return (
    `Cost at R2's list prices: $${dollars} for ${classA} Class A and ${classB} Class B operations, ` +
    `${EXCLUDED}; each month 1 million and 10 million are free, and so are deletes and egress`
  );
}

/**
 * @param {Pick<RunConfig, 'objects' | 'stages'>} config
 * @returns {number} what it costs to do each stage once with each object, in dollars
 */
export function dollarsOf({ objects, stages }) {
  return stages.reduce((sum, stage) => sum + objects * priceOf(stage), 0);
}
