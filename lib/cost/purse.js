import { DOLLARS_A_MILLION } from './prices.js';

/** Whole nanodollars: no price of R2 has a smaller part, and their sums are exact. */
const NANODOLLARS = 1e9;

/** What a run may still spend, in memory that all workers share. */
export class Purse {
  #left;

  /** @param {SharedArrayBuffer} memory of another purse, which this one shares */
  constructor(memory) {
    this.memory = memory;
    this.#left = new BigInt64Array(memory);
  }

  /** @param {number} dollars */
  static of(dollars) {
    const purse = new Purse(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT));
    purse.give(nanodollars(dollars));
    return purse;
  }

  /**
   * @param {bigint} amount nanodollars
   * @returns {boolean} whether there was so much; otherwise nothing is taken
   */
  take(amount) {
    if (Atomics.sub(this.#left, 0, amount) >= amount) {
      return true;
    }
    this.give(amount);
    return false;
  }

  /** @param {bigint} amount nanodollars */
  give(amount) {
    Atomics.add(this.#left, 0, amount);
  }

  /**
   * Takes what was spent whether there was so much or not.
   *
   * @param {number} requests that are no operation of a stage, each counted as if it were of the dearer kind
   */
  spend(requests) {
    this.give(-nanodollars((requests * DOLLARS_A_MILLION.A) / 1e6));
  }
}

/**
 * @param {number} dollars
 * @returns {bigint} rounded up
 */
export function nanodollars(dollars) {
  return BigInt(Math.ceil(Math.round(dollars * NANODOLLARS * 1000) / 1000));
}
