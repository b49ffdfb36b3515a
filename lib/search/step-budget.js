/** @import { LimitingResource } from '../model/search.js' */

/** What a search has left of its time, of its operations and of their attempts. */
export class StepBudget {
  #maxOperations;
  #maxAttempts;
  #objects;
  #used = { operations: 0, attempts: 0 };
  #attemptsAnOperation = { last: 1, most: 1 };
  /** ms that the search may still take. */
  timeLeft;
  /** What was too little for a step. @type {LimitingResource | null} */
  limitingResource = null;
  /** What the steps would have taken for which there was too little. @type {{ operations: number, attempts: number } | null} */
  #missed = null;

  /**
   * @param {object} options
   * @param {number} options.time ms
   * @param {number} options.maxOperations that there are objects for
   * @param {number} options.maxAttempts that there are dollars for
   * @param {boolean} options.sharesOperations whether the user cannot give more operations, because an earlier stage leaves them
   */
  constructor({ time, maxOperations, maxAttempts, sharesOperations }) {
    this.timeLeft = time;
    this.#maxOperations = maxOperations;
    this.#maxAttempts = maxAttempts;
    this.#objects = /** @type {'leftovers' | 'objects'} */ (sharesOperations ? 'leftovers' : 'objects');
  }

  /**
   * @param {number} elapsed ms
   * @param {number} operations that were begun
   * @param {number} attempts
   */
  spend(elapsed, operations, attempts) {
    this.timeLeft -= elapsed;
    this.#used.operations += operations;
    this.#used.attempts += attempts;
    if (operations > 0) {
      const last = Math.max(attempts / operations, 1);
      this.#attemptsAnOperation = { last, most: Math.max(last, this.#attemptsAnOperation.most) };
    }
  }

  /** Attempts that an operation took in the last step, and the most in any. */
  get attemptsAnOperation() {
    return this.#attemptsAnOperation;
  }

  /** Operations that were begun. */
  get operationsUsed() {
    return this.#used.operations;
  }

  /** Operations that the search may still begin, if each takes as many attempts as in the last step. */
  get operationsLeft() {
    return Math.floor(Math.max(Math.min(this.#objectsLeft, this.attemptsLeft / this.#attemptsAnOperation.last), 0));
  }

  get attemptsLeft() {
    return this.#maxAttempts - this.#used.attempts;
  }

  get #objectsLeft() {
    return this.#maxOperations - this.#used.operations;
  }

  /** Where there are too few: so many, or more, would do. @returns {{ operations: number, attempts: number } | null} */
  get needed() {
    return this.#missed;
  }

  /**
   * Notes that there are too few operations.
   *
   * @param {number} operations that it would take from here on
   */
  recordShortage(operations) {
    const needed = Math.ceil(operations);
    const before = this.#missed ?? this.#used;
    this.#missed = {
      operations: Math.max(before.operations, this.#used.operations + needed),
      attempts: Math.max(before.attempts, this.#used.attempts + Math.ceil(this.#attemptsAnOperation.last * needed)),
    };
    const areObjectsScarce = this.#objectsLeft * this.#attemptsAnOperation.last <= this.attemptsLeft;
    this.limitingResource = areObjectsScarce ? this.#objects : 'dollars';
  }
}
