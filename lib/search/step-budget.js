/** @import { LimitingResource } from '../model/search.js' */

/** The time, operations and attempts that a planner has left. */
export class StepBudget {
  #maxOperations;
  #maxAttempts;
  #objects;
  #used = { operations: 0, attempts: 0 };
  /** In the last step. */
  #attemptsPerOperation = 1;
  /** ms left. */
  timeLeft;
  /** The resource that a step ran short of. @type {LimitingResource | null} */
  limitingResource = null;

  /**
   * @param {object} options
   * @param {number} options.time ms
   * @param {number} [options.maxOperations] that objects allow
   * @param {number} [options.maxAttempts] that dollars allow
   * @param {boolean} [options.sharesOperations] whether the user cannot provide more operations, because the planner uses
   *   what an earlier stage left
   */
  constructor({ time, maxOperations = Infinity, maxAttempts = Infinity, sharesOperations = false }) {
    this.timeLeft = time;
    this.#maxOperations = maxOperations;
    this.#maxAttempts = maxAttempts;
    this.#objects = /** @type {'leftovers' | 'objects'} */ (sharesOperations ? 'leftovers' : 'objects');
  }

  /** @param {{ elapsed: number, consumed: number, attempts: number }} step ms, operations started, and their attempts */
  spend({ elapsed, consumed, attempts }) {
    this.timeLeft -= elapsed;
    this.#used.operations += consumed;
    this.#used.attempts += attempts;
    if (consumed > 0) {
      this.#attemptsPerOperation = Math.max(attempts / consumed, 1);
    }
  }

  /** Operations that can still start if each takes as many attempts as in the last step. */
  get operationsLeft() {
    return Math.floor(Math.max(Math.min(this.#objectsLeft, this.attemptsLeft / this.#attemptsPerOperation), 0));
  }

  get attemptsLeft() {
    return this.#maxAttempts - this.#used.attempts;
  }

  get #objectsLeft() {
    return this.#maxOperations - this.#used.operations;
  }

  /** Attempts for this many operations, so that enough attempts remain for all others. @param {number} operations */
  attemptsFor(operations) {
    const others = this.operationsLeft - operations;
    return this.attemptsLeft === Infinity ? Infinity : this.attemptsLeft - this.#attemptsPerOperation * others;
  }

  /** Records that a step could not have the operations that it requires. */
  recordShortage() {
    const areObjectsScarce = this.#objectsLeft * this.#attemptsPerOperation <= this.attemptsLeft;
    this.limitingResource = areObjectsScarce ? this.#objects : 'dollars';
  }

  /**
   * @param {number} operations that suffice for another search
   * @returns {number | null} null unless this search ran out of objects
   */
  neededIf(operations) {
    return this.limitingResource === this.#objects ? operations : null;
  }
}
