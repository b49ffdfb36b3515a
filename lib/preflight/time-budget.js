/** All requests before the first stage may take so long together. ms */
const MIN_BUDGET_MS = 3000;

/** A far store is given more: so many round trips. */
const ROUND_TRIPS = 30;

/**
 * The time that a run takes to check and measure the store before its first stage: three seconds or thirty round trips,
 * whichever is longer. How long a round trip is shows in the answers.
 */
export class TimeBudget {
  #now;
  #startedAt;
  #deadline = Infinity;
  /** By operation, in ms. @type {Map<string, number>} */
  #alone = new Map();

  /** @param {() => number} now monotonic ms */
  constructor(now) {
    this.#now = now;
    this.#startedAt = now();
  }

  /**
   * Takes note of an operation.
   *
   * @param {string} operation
   * @param {number} milliseconds from its request on
   */
  answered(operation, milliseconds) {
    this.#alone.set(operation, Math.min(this.aloneLatency(operation) ?? Infinity, milliseconds));
  }

  /** The shortest time that an operation took, in ms; Infinity before the first one. */
  get roundTrip() {
    return Math.min(...this.#alone.values());
  }

  /**
   * @param {string} operation
   * @returns {number | null} the shortest ms that it took before anything was measured; null where there was none
   */
  aloneLatency(operation) {
    return this.#alone.get(operation) ?? null;
  }

  /** @param {number} moment monotonic ms by which all has to be over, however much of the budget is left */
  endBy(moment) {
    this.#deadline = Math.min(this.#deadline, moment);
  }

  /** Monotonic ms, Infinity where there is none. */
  get deadline() {
    return this.#deadline;
  }

  /** ms; below 0 once all of it is spent. */
  get left() {
    const whole = Math.max(MIN_BUDGET_MS, Number.isFinite(this.roundTrip) ? ROUND_TRIPS * this.roundTrip : 0);
    return Math.min(this.#startedAt + whole, this.#deadline) - this.#now();
  }
}
