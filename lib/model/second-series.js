/**
 * @import { SecondLatency, SecondResult } from './result.js'
 *
 * @typedef {Partial<Omit<SecondResult, 'secondStart' | 'operations' | 'bytes'>>} SecondDetails
 */

/** Seconds per block. A day is a whole number of blocks, so that a shift by days moves whole blocks. */
export const BLOCK_SECONDS = 128;

/** The highest rate that can be stored, in ops/s. No host comes close. */
const MAX_RATE = (2 ** 32 - 2) / 10;

/** Lines up to this many seconds apart do not count as a gap, because the intervals of the original tool drift. */
export const MAX_INTERVAL_SECONDS = 3;

/** @type {Readonly<SecondLatency>} */
const UNKNOWN_LATENCY = Object.freeze({ p50: null, p99: null, maximum: null, histogram: null });

/** Stores the seconds of a stage in a few bytes each, even if sparse: an hour of fifty hosts must fit into memory. */
export class SecondSeries {
  /**
   * By block number: tenths of operations in each second, plus 1; 0 for a second without a line.
   *
   * @type {Map<number, Uint32Array>}
   */
  #blocks = new Map();
  /**
   * Seconds that several lines report: the total of the tenths of operations, and the number of lines.
   *
   * @type {Map<number, { total: number, lines: number }>}
   */
  #averaged = new Map();
  /** Bytes by block number, for blocks in which bytes per operation vary. @type {Map<number, Float64Array>} */
  #bytes = new Map();
  /** @type {Map<number, SecondDetails>} */
  #details = new Map();
  /** Bytes per operation in seconds without an entry in `#bytes`; null if unknown. @type {number | null} */
  operationBytes = null;
  /** @type {{ first: number, last: number } | null} */
  extent = null;

  /** Sum of the tenths of operations in the first line of each second. */
  tenths = 0;

  #length = 0;

  /**
   * @param {number} second
   * @param {number} rate ops/s
   * @param {boolean} isCount whether the rate is the exact count of that second, rather than a mean over about a second
   * @returns {'impossible' | 'doubled' | 'gap' | null} a problem, if any; despite a gap, the second is added
   */
  add(second, rate, isCount) {
    if (rate > MAX_RATE) {
      return 'impossible';
    }
    const tenths = Math.round(rate * 10);
    if (this.get(second) !== undefined) {
      if (!isCount) {
        this.#average(second, tenths);
      }
      return isCount ? 'doubled' : null;
    }
    const isGap = this.extent !== null && second - this.extent.last > (isCount ? 1 : MAX_INTERVAL_SECONDS);
    this.#set(second, tenths);
    return isGap ? 'gap' : null;
  }

  /**
   * @param {number} second
   * @param {number} tenths of operations, a whole number
   */
  #set(second, tenths) {
    const number = Math.floor(second / BLOCK_SECONDS);
    let block = this.#blocks.get(number);
    if (block === undefined) {
      block = new Uint32Array(BLOCK_SECONDS);
      this.#blocks.set(number, block);
    }
    block[second - number * BLOCK_SECONDS] = tenths + 1;
    this.tenths += tenths;
    this.#length += 1;
    const { first, last } = this.extent ?? { first: second, last: second };
    this.extent = { first: Math.min(first, second), last: Math.max(last, second) };
  }

  /**
   * Averages rates of the same second: each covers about a second, so adding them would be wrong.
   *
   * @param {number} second
   * @param {number} tenths of ops/s
   */
  #average(second, tenths) {
    const before = this.#averaged.get(second) ?? { total: this.get(second) ?? 0, lines: 1 };
    this.#averaged.set(second, { total: before.total + tenths, lines: before.lines + 1 });
  }

  /**
   * @param {number} second that was added before
   * @param {number} bytes
   */
  setBytes(second, bytes) {
    const operations = Number(this.get(second)) / 10;
    if (operations > 0) {
      this.operationBytes ??= bytes / operations;
    }
    const number = Math.floor(second / BLOCK_SECONDS);
    let block = this.#bytes.get(number);
    // Usually, all operations transfer equally many bytes, and a second needs no entry.
    if (block === undefined && bytes === operations * (this.operationBytes ?? 0)) {
      return;
    }
    if (block === undefined) {
      block = new Float64Array(BLOCK_SECONDS).fill(NaN);
      this.#bytes.set(number, block);
    }
    block[second - number * BLOCK_SECONDS] = bytes;
  }

  /**
   * @param {number} second that was added before
   * @param {SecondDetails} details
   */
  setDetails(second, details) {
    this.#details.set(second, { ...this.#details.get(second), ...details });
  }

  get missing() {
    return this.extent === null ? 0 : this.extent.last - this.extent.first + 1 - this.#length;
  }

  /** Whether an adjacent second within the extent is missing. @param {number} second */
  isNextToGap(second) {
    const isMissing = (/** @type {number} */ other) =>
      this.extent !== null && other > this.extent.first && other < this.extent.last && this.get(other) === undefined;
    return isMissing(second - 1) || isMissing(second + 1);
  }

  /** Numbers of the blocks with seconds, in ascending order. */
  blocks() {
    return [...this.#blocks.keys()].sort((one, other) => one - other);
  }

  /** Tenths of operations; undefined if no line reports the second. @param {number} second */
  get(second) {
    const number = Math.floor(second / BLOCK_SECONDS);
    const stored = this.#blocks.get(number)?.[second - number * BLOCK_SECONDS] ?? 0;
    const averaged = this.#averaged.get(second);
    if (averaged !== undefined) {
      return averaged.total / averaged.lines;
    }
    return stored === 0 ? undefined : stored - 1;
  }

  /** @param {number} second that was added before */
  bytesOf(second) {
    const number = Math.floor(second / BLOCK_SECONDS);
    const own = this.#bytes.get(number)?.[second - number * BLOCK_SECONDS] ?? NaN;
    return Number.isNaN(own) ? ((this.get(second) ?? 0) / 10) * (this.operationBytes ?? 0) : own;
  }

  /** @param {number} second that was added before */
  resultOf(second) {
    return {
      secondStart: second,
      operations: Number(this.get(second)) / 10,
      bytes: Math.round(this.bytesOf(second)),
      ...UNKNOWN_LATENCY,
      ...this.#details.get(second),
    };
  }

  /** @returns {Generator<SecondResult, void, undefined>} in order */
  *[Symbol.iterator]() {
    for (const number of this.blocks()) {
      for (let second = number * BLOCK_SECONDS; second < (number + 1) * BLOCK_SECONDS; second += 1) {
        if (this.get(second) !== undefined) {
          yield this.resultOf(second);
        }
      }
    }
  }

  /** @param {number} seconds to shift by, a whole number of days */
  move(seconds) {
    const blocks = seconds / BLOCK_SECONDS;
    const moved = (/** @type {Map<number, any>} */ map, /** @type {number} */ by) =>
      new Map([...map].map(([at, value]) => [at + by, value]));
    this.#blocks = moved(this.#blocks, blocks);
    this.#bytes = moved(this.#bytes, blocks);
    this.#averaged = moved(this.#averaged, seconds);
    this.#details = moved(this.#details, seconds);
    this.extent = this.extent && { first: this.extent.first + seconds, last: this.extent.last + seconds };
  }
}
