/**
 * How much work a stage has.
 *
 * @typedef {object} Budget
 * @property {() => number} claim the next object, or -1 where there is no more work
 * @property {() => void} close nothing more is given out
 * @property {number} claimed pieces of work given out
 */

/**
 * A number of objects, each given out once.
 *
 * @implements {Budget}
 */
export class CountBudget {
  #end;
  claimed = 0;

  /** @param {number} count */
  constructor(count) {
    this.#end = count;
  }

  claim() {
    return this.claimed < this.#end ? this.claimed++ : -1;
  }

  close() {
    this.#end = 0;
  }
}

/**
 * A number of objects given out one after the other, and again from the first one, until it is closed.
 *
 * @implements {Budget}
 */
export class RoundBudget {
  #count;
  claimed = 0;

  /** @param {number} count */
  constructor(count) {
    this.#count = count;
  }

  claim() {
    return this.#count > 0 ? this.claimed++ % this.#count : -1;
  }

  close() {
    this.#count = 0;
  }
}
