/** @import { AttemptError } from '../s3/s3-error.js' */

/** Longest single pause, even if the store asks for more. */
const MAX_PAUSE_MS = 5000;

/** Limit for the total of the pauses that the store asks for before the first stage. */
const MAX_TOTAL_MS = 15_000;

/** Concurrent requests are throttled together, so one notice is enough. */
const NOTICE_INTERVAL_MS = 1000;

/** How long a run waits before its first stage if the store asks it to. Stages show progress and may wait longer. */
export class WaitBudget {
  #now;
  #notice;
  #left = MAX_TOTAL_MS;
  #noticedAt = -Infinity;
  /** Monotonic ms at which the last pause ends. */
  #pausedUntil = -Infinity;

  /**
   * @param {() => number} now monotonic ms
   * @param {(message: string) => void} notice reports a pause and its reason
   */
  constructor(now, notice) {
    this.#now = now;
    this.#notice = notice;
  }

  /**
   * Deducts a pause from the budget. Overlapping pauses count once.
   *
   * @param {number} wanted ms
   * @param {Pick<AttemptError, 'message' | 'retryAfter'>} error by which the store asked for the pause
   * @returns {number | null} ms to wait; null if the budget is spent
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
        `The store asked for a pause of ${inSeconds(retryAfter)} (${message}): retrying in ${inSeconds(pause)}`,
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
