/** @import { LimitingResource } from '../model/search.js' */

/** The time, operations and attempts that a search has left. */
export class StepBudget {
  #maxOperations;
  #maxAttempts;
  #objects;
  #used = { operations: 0, attempts: 0 };
  #attemptsPerOperation = { last: 1, most: 1 };
  /** ms left for the search. */
  timeLeft;
  /** The resource that a step ran short of. @type {LimitingResource | null} */
  limitingResource = null;

  /**
   * @param {object} options
   * @param {number} options.time ms
   * @param {number} options.maxOperations that objects allow
   * @param {number} options.maxAttempts that dollars allow
   * @param {boolean} options.sharesOperations whether the user cannot provide more operations, because the search uses
   *   what an earlier stage left
   */
  constructor({ time, maxOperations, maxAttempts, sharesOperations }) {
    this.timeLeft = time;
    this.#maxOperations = maxOperations;
    this.#maxAttempts = maxAttempts;
    this.#objects = /** @type {'leftovers' | 'objects'} */ (sharesOperations ? 'leftovers' : 'objects');
  }

  /**
   * @param {number} elapsed ms
   * @param {number} operations started
   * @param {number} attempts
   */
  spend(elapsed, operations, attempts) {
    this.timeLeft -= elapsed;
    this.#used.operations += operations;
    this.#used.attempts += attempts;
    if (operations > 0) {
      const last = Math.max(attempts / operations, 1);
      this.#attemptsPerOperation = { last, most: Math.max(last, this.#attemptsPerOperation.most) };
    }
  }

  /** Attempts per operation in the last step, and the maximum of all steps. */
  get attemptsPerOperation() {
    return this.#attemptsPerOperation;
  }

  /** Operations that the search can still start if each takes as many attempts as in the last step. */
  get operationsLeft() {
    return Math.floor(Math.max(Math.min(this.#objectsLeft, this.attemptsLeft / this.#attemptsPerOperation.last), 0));
  }

  get attemptsLeft() {
    return this.#maxAttempts - this.#used.attempts;
  }

  get #objectsLeft() {
    return this.#maxOperations - this.#used.operations;
  }

  /** Records that a step could not have the operations that it requires. */
  recordShortage() {
    const areObjectsScarce = this.#objectsLeft * this.#attemptsPerOperation.last <= this.attemptsLeft;
    this.limitingResource = areObjectsScarce ? this.#objects : 'dollars';
  }

  /**
   * @param {number} operations that suffice for another search
   * @returns {{ operations: number, attempts: number } | null} null if this search had enough
   */
  neededIf(operations) {
    return this.limitingResource === null || this.limitingResource === 'time'
      ? null
      : { operations, attempts: Math.ceil(this.#attemptsPerOperation.most * operations) };
  }
}
