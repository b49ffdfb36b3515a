import { setTimeout as wait } from 'node:timers/promises';

/**
 * @param {number} milliseconds
 * @param {AbortSignal} signal ends the pause
 * @returns {Promise<void>} resolves in either case: whoever waited looks at the signal next
 */
export async function pause(milliseconds, signal) {
  try {
    await wait(milliseconds, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) {
      throw error;
    }
  }
}
