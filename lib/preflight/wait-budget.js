/** @import { AttemptError } from '../s3/s3-error.js' */

/** However long a store asks to wait, the next request is sent after this. ms */
const MAX_PAUSE_MS = 5000;

/** A run waits at most so long before its first stage where the store asks it to, all pauses together. ms */
const MAX_TOTAL_MS = 15_000;

/** Requests that are sent at the same time are throttled at the same time: one notice is enough. ms */
const NOTICE_INTERVAL_MS = 1000;

/**
 * The time for which a run waits before its first stage because the store asks it to. A stage waits longer, but there
 * progress is shown.
 */
export class WaitBudget {
  #now;
  #notice;
  #left = MAX_TOTAL_MS;
  #noticedAt = -Infinity;
  /** Monotonic ms at which the last pause ends. */
  #pausedUntil = -Infinity;

  /**
   * @param {() => number} now monotonic ms
   * @param {(message: string) => void} notice reports what is waited for
   */
  constructor(now, notice) {
    this.#now = now;
    this.#notice = notice;
  }

  /**
   * Takes the time of a pause. Pauses at the same time are one.
   *
   * @param {number} wanted ms
   * @param {Pick<AttemptError, 'message' | 'retryAfter'>} error by which the store asked for it
   * @returns {number | null} ms to wait; null where there is no time left
   */
  take(wanted, { message, retryAfter }) {
    const now = this.#now();
    const pause = Math.min(wanted, MAX_PAUSE_MS);
    const longer = now + pause - Math.max(now, this.#pausedUntil);
    if (longer > 0 && this.#left <= 0) {
      return null;
    }
    if (now >= this.#noticedAt + NOTICE_INTERVAL_MS) {
      this.#noticedAt = now;
      this.#notice(
        `The store asks to wait ${inSeconds(retryAfter)} (${message}): it is asked again in ${inSeconds(pause)}`,
      );
    }
    if (longer > 0) {
      this.#left -= longer;
      this.#pausedUntil = now + pause;
    }
    return pause;
  }
}

/** @param {number} milliseconds */
function inSeconds(milliseconds) {
  return `${(milliseconds / 1000).toFixed(1)}s`;
}
