import { DOLLARS_PER_MILLION } from './prices.js';

/** Nanodollars per dollar. R2 prices are whole nanodollars, so their sums are exact. */
const NANODOLLARS = 1e9;

/** Dollars that a run may still spend, in memory shared by all workers. */
export class Purse {
  #left;

  /** @param {SharedArrayBuffer} memory of another purse to share */
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

  /** Returns false and takes nothing if the purse holds less. @param {bigint} amount nanodollars */
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

  /** Deducts requests outside the stages at the class A price, even below 0. @param {number} requests */
  spend(requests) {
    this.give(-nanodollars((requests * DOLLARS_PER_MILLION.A) / 1e6));
  }
}

/** Rounds up. @param {number} dollars */
export function nanodollars(dollars) {
  return BigInt(Math.ceil(Math.round(dollars * NANODOLLARS * 1000) / 1000));
}
