/** Minimum time for all requests before the first stage. */
const MIN_BUDGET_MS = 3000;

const ROUND_TRIPS = 30;

/**
 * The time that a run may take to check and measure the store before its first stage: three seconds or, for a distant
 * store, thirty round trips. The fastest operation so far shows how long a round trip takes.
 */
export class TimeBudget {
  #now;
  #startedAt;
  #deadline = Infinity;
  /** Shortest latency of each operation, in ms. @type {Map<string, number>} */
  #alone = new Map();

  /** @param {() => number} now monotonic ms */
  constructor(now) {
    this.#now = now;
    this.#startedAt = now();
  }

  /**
   * @param {string} operation
   * @param {number} milliseconds from the request to the response
   */
  answered(operation, milliseconds) {
    this.#alone.set(operation, Math.min(this.aloneLatency(operation) ?? Infinity, milliseconds));
  }

  /** The shortest latency of any operation, in ms; 0 before the first response. */
  get roundTrip() {
    return this.#alone.size === 0 ? 0 : Math.min(...this.#alone.values());
  }

  /** The operation's shortest latency in preflight, in ms; null if it was not tried. @param {string} operation */
  aloneLatency(operation) {
    return this.#alone.get(operation) ?? null;
  }

  /** Sets a deadline, which applies even if some of the budget is left. @param {number} moment monotonic ms */
  endBy(moment) {
    this.#deadline = Math.min(this.#deadline, moment);
  }

  /** Monotonic ms; Infinity without a deadline. */
  get deadline() {
    return this.#deadline;
  }

  /** Remaining ms; negative once the budget is exceeded. */
  get left() {
    const whole = Math.max(MIN_BUDGET_MS, ROUND_TRIPS * this.roundTrip);
    return Math.min(this.#startedAt + whole, this.#deadline) - this.#now();
  }
}
