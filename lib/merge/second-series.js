import { BLOCK_SECONDS } from './second-pool.js';

/** @import { SecondPool } from './second-pool.js' */

/** The rates of one host in the seconds of one stage: a few bytes for each, wherever they lie. */
export class SecondSeries {
  #pool;
  /** Number of the block → where it is in the pool. @type {Map<number, number>} */
  #blocks = new Map();
  /** Second → what stands in its several lines. @type {Map<number, { total: number, lines: number }>} */
  #averaged = new Map();

  /** @param {SecondPool} pool */
  constructor(pool) {
    this.#pool = pool;
  }

  /** The numbers of the blocks in which there are seconds, in ascending order. */
  blocks() {
    return [...this.#blocks.keys()].sort((one, other) => one - other);
  }

  /**
   * @param {number} second
   * @returns {number | undefined} tenths of ops/s; undefined where no line told of the second
   */
  get(second) {
    const number = Math.floor(second / BLOCK_SECONDS);
    const block = this.#blocks.get(number);
    const averaged = this.#averaged.get(second);
    if (block === undefined || averaged !== undefined) {
      return averaged && averaged.total / averaged.lines;
    }
    return this.#pool.get(block, second - number * BLOCK_SECONDS);
  }

  /**
   * @param {number} second
   * @param {number} tenths of ops/s, a whole number
   */
  set(second, tenths) {
    const number = Math.floor(second / BLOCK_SECONDS);
    const before = this.#blocks.get(number);
    const block = this.#pool.set(before ?? this.#pool.allocate(tenths), second - number * BLOCK_SECONDS, tenths);
    if (block !== before) {
      this.#blocks.set(number, block);
    }
  }

  /**
   * A further rate of a second that has one already: each is the rate of about a second, and their sum would be a rate
   * that never was.
   *
   * @param {number} second
   * @param {number} tenths of ops/s
   */
  average(second, tenths) {
    const before = this.#averaged.get(second) ?? { total: this.get(second) ?? 0, lines: 1 };
    this.#averaged.set(second, { total: before.total + tenths, lines: before.lines + 1 });
  }
}
