import { setTimeout as wait } from 'node:timers/promises';

/** @import { Clock } from './clock.js' */

const MAX_TIMER_MS = 3_600_000;

/**
 * @param {number} milliseconds none if negative
 * @param {AbortSignal} signal ends the pause
 * @returns {Promise<void>} resolves in either case; check the signal afterwards
 */
export async function pause(milliseconds, signal) {
  try {
    await wait(Math.max(milliseconds, 0), undefined, { signal });
  } catch (error) {
    if (!signal.aborted) {
      throw error;
    }
  }
}

/**
 * @param {number} moment monotonic ms
 * @param {Clock} clock
 * @param {AbortSignal} signal ends the wait
 */
export async function waitUntil(moment, clock, signal) {
  // A timer can fire slightly early, and is limited to a few weeks.
  while (moment > clock.now() && !signal.aborted) {
    await pause(Math.min(moment - clock.now(), MAX_TIMER_MS), signal);
  }
}
