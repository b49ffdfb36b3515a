/** Consecutive seconds that are kept together. A day is a whole number of blocks, so that a shift by days moves blocks. */
export const BLOCK_SECONDS = 32;

const BLOCKS_OF_PAGE = 512;

/**
 * What a place can hold: tenths of ops/s, in which the rates of a log are exact, plus one. 0 says that no line told of the
 * second.
 */
const LARGEST_STORED = 2 ** 32 - 1;

/** ops/s above which a rate cannot be kept. No host comes near it: such a line is no measurement. */
export const HIGHEST_RATE = (LARGEST_STORED - 1) / 10;

/** The memory that the seconds of all hosts share: four bytes a second. A view of each block would cost more than that. */
export class SecondPool {
  /** @type {Uint32Array[]} */
  #pages = [];
  #count = 0;

  /** @returns {number} the first place of a new block */
  allocate() {
    if (this.#count % BLOCKS_OF_PAGE === 0) {
      this.#pages.push(new Uint32Array(BLOCKS_OF_PAGE * BLOCK_SECONDS));
    }
    this.#count += 1;
    return (this.#count - 1) * BLOCK_SECONDS;
  }

  /** @param {number} place */
  at(place) {
    const length = BLOCKS_OF_PAGE * BLOCK_SECONDS;
    return this.#pages[Math.floor(place / length)][place % length];
  }

  /**
   * @param {number} place
   * @param {number} value
   */
  set(place, value) {
    const length = BLOCKS_OF_PAGE * BLOCK_SECONDS;
    this.#pages[Math.floor(place / length)][place % length] = value;
  }
}

/** The rates of one host in the seconds of one stage: a few bytes for each, wherever they lie. */
export class SecondSeries {
  #pool;
  /** Number of the block → its first place in the pool. @type {Map<number, number>} */
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
    const first = this.#blocks.get(Math.floor(second / BLOCK_SECONDS));
    const stored = first === undefined ? 0 : this.#pool.at(first + placeInBlock(second));
    if (stored === 0) {
      return undefined;
    }
    const averaged = this.#averaged.get(second);
    return averaged === undefined ? stored - 1 : averaged.total / averaged.lines;
  }

  /**
   * @param {number} second
   * @param {number} tenths of ops/s, a whole number
   */
  set(second, tenths) {
    const block = Math.floor(second / BLOCK_SECONDS);
    let first = this.#blocks.get(block);
    if (first === undefined) {
      first = this.#pool.allocate();
      this.#blocks.set(block, first);
    }
    this.#pool.set(first + placeInBlock(second), tenths + 1);
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

/** @param {number} second */
function placeInBlock(second) {
  return second - Math.floor(second / BLOCK_SECONDS) * BLOCK_SECONDS;
}
