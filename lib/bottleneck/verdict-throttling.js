/** @import { Refusals } from './verdict.js' */

/** Fewer refusals among the attempts are no more than an accident. */
const REFUSED_SHARE = 0.01;

/** So much of the threads' time, lost to failed attempts, is a loss of operations. */
export const LOST_TIME = 0.2;

/** So many refusals leave little of what was asked, even where they cost no time because nothing is tried again. */
const REFUSED_GOODPUT = 0.2;

/** As many of the failed attempts must have been refusals for these to be what the time was lost to. */
const REFUSED_FAILURES = 0.8;

/**
 * @param {Refusals} figures
 * @returns {boolean} whether the store's refusals are what keeps the stage from doing more
 */
export function throttlingCosts({ operations, attempts, throttled, backoffShare }) {
  const isMostOfFailures = throttled >= REFUSED_FAILURES * (attempts - operations);
  const isCostly = backoffShare >= LOST_TIME || throttled >= REFUSED_GOODPUT * attempts;
  return isRefused({ attempts, throttled }) && isMostOfFailures && isCostly;
}

/**
 * @param {Pick<Refusals, 'attempts' | 'throttled'>} figures
 * @returns {boolean} whether the store refused more than by accident
 */
export function isRefused({ attempts, throttled }) {
  return throttled > 0 && throttled >= REFUSED_SHARE * attempts;
}
