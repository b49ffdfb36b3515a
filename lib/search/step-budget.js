/** @import { LimitingResource } from '../model/search.js' */

/** What a search whose steps are planned one by one has left of its time, its operations and their attempts. */
export class StepBudget {
  #maxOperations;
  #maxAttempts;
  #used = { operations: 0, attempts: 0 };
  #attemptsAnOperation = 1;
  /** ms that the search may still take. */
  timeLeft;
  /** What was too little for a step. @type {LimitingResource | null} */
  limitingResource = null;
  /** Where there are too few: so many, or more, would do. @type {{ operations: number, attempts: number } | null} */
  needed = null;

  /**
   * @param {object} options
   * @param {number} options.time ms
   * @param {number} options.maxOperations that there are objects for
   * @param {number} options.maxAttempts that there are dollars for
   */
  constructor({ time, maxOperations, maxAttempts }) {
    this.timeLeft = time;
    this.#maxOperations = maxOperations;
    this.#maxAttempts = maxAttempts;
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
      this.#attemptsAnOperation = Math.max(attempts / operations, 1);
    }
  }

  /** Operations that the search may still begin. */
  get operationsLeft() {
    const objects = this.#maxOperations - this.#used.operations;
    return Math.floor(Math.max(Math.min(objects, this.attemptsLeft / this.#attemptsAnOperation), 0));
  }

  get attemptsLeft() {
    return this.#maxAttempts - this.#used.attempts;
  }

  /**
   * Notes that there are too few operations.
   *
   * @param {number} operations that it would take from here on
   * @param {'objects' | 'leftovers'} objects what the operations are made of
   */
  recordShortage(operations, objects) {
    const needed = Math.ceil(operations);
    const before = this.needed ?? this.#used;
    this.needed = {
      operations: Math.max(before.operations, this.#used.operations + needed),
      attempts: Math.max(before.attempts, this.#used.attempts + Math.ceil(this.#attemptsAnOperation * needed)),
    };
    const areObjectsScarce =
      (this.#maxOperations - this.#used.operations) * this.#attemptsAnOperation <= this.attemptsLeft;
    this.limitingResource = areObjectsScarce ? objects : 'dollars';
  }
}
