import { timeoutError } from './s3-error.js';

/** @import { ObjectConnection } from './object-store.js' */

const MIN_INTERVAL_MS = 5;
const MAX_INTERVAL_MS = 250;

/** How often deadlines are checked per timeout: an attempt ends at most about one twentieth of its timeout late. */
const SWEEPS_PER_TIMEOUT = 20;

/**
 * Ends attempts that take too long, whether they are connecting, waiting for a response, or receiving a body byte by
 * byte. One timer serves all connections.
 */
export class AttemptDeadlines {
  #timeout;
  #now;
  #connections;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /**
   * @param {{ timeout: number, now: () => number, connections: readonly ObjectConnection[] }} options `timeout`: ms for
   *   a whole attempt; `now`: monotonic ms
   */
  constructor({ timeout, now, connections }) {
    this.#timeout = timeout;
    this.#now = now;
    this.#connections = connections;
  }

  start() {
    const interval = Math.min(Math.max(this.#timeout / SWEEPS_PER_TIMEOUT, MIN_INTERVAL_MS), MAX_INTERVAL_MS);
    this.#timer = setInterval(() => this.#sweep(), interval);
  }

  stop() {
    clearInterval(this.#timer);
  }

  #sweep() {
    const oldest = this.#now() - this.#timeout;
    for (const connection of this.#connections) {
      if (connection.startedAt !== 0 && connection.startedAt < oldest) {
        connection.abort(timeoutError(this.#timeout, connection.transfer()));
      }
    }
  }
}
