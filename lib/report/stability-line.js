import { decimal } from '../text/figures.js';

/** @import { StabilityResult } from '../model/result.js' */

/**
 * Why a stage with --until-stable ended: its mean rate was precise enough, or its time was up.
 *
 * @param {StabilityResult} stability
 * @returns {string} a phrase that fits after the name of the stage
 */
export function stabilityLine({ precision, isStable, seconds, mean, high }) {
  const wanted = inPercent(precision);
  if (mean === null || high === null || mean === 0) {
    return `not stable: ${seconds === 1 ? '1 second was' : `${seconds} seconds were`} measured, too few for ±${wanted}`;
  }
  const known = `mean ${decimal(mean)} ops/s ±${inPercent((high - mean) / mean)} (95% interval, from ${seconds} seconds)`;
  return isStable
    ? `stable, so the stage ended early: ${known}, ±${wanted} requested`
    : `not stable when the stage ended: ${known}, ±${wanted} requested`;
}

/** @param {number} share */
function inPercent(share) {
  return `${Number((100 * share).toFixed(2))}%`;
}
