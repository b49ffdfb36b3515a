import { NO_LATENCY } from './seconds.js';

/**
 * @import { SecondResult } from './result.js'
 *
 * @typedef {Partial<Omit<SecondResult, 'secondStart' | 'operations' | 'bytes'>>} SecondDetails
 */

/** The highest rate that can be stored, in ops/s. No host comes close. */
const MAX_RATE = (2 ** 32 - 2) / 10;

/** Lines up to this many seconds apart do not count as a gap, because the intervals of the original tool drift. */
export const MAX_INTERVAL_SECONDS = 3;

/** Stores the seconds of a stage, possibly sparse, without an object for each: an hour of fifty hosts must fit into memory. */
export class SecondSeries {
  /** Tenths of operations by second. @type {Map<number, number>} */
  #tenths = new Map();
  /** Bytes of seconds in which the bytes per operation differ. @type {Map<number, number>} */
  #bytes = new Map();
  /** @type {Map<number, SecondDetails>} */
  #details = new Map();
  /** Bytes per operation in seconds without an entry in `#bytes`; null if unknown. @type {number | null} */
  operationBytes = null;
  /** @type {{ first: number, last: number } | null} */
  extent = null;
  /** Sum of the tenths of operations in the first line of each second. */
  tenths = 0;

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
    const before = this.get(second);
    if (before !== undefined && isCount) {
      return 'doubled';
    }
    if (before !== undefined) {
      // Each of two rates covers about a second, so adding them would be wrong.
      this.#tenths.set(second, (before + tenths) / 2);
      return null;
    }
    const { first, last } = this.extent ?? { first: second, last: second };
    this.#tenths.set(second, tenths);
    this.tenths += tenths;
    this.extent = { first: Math.min(first, second), last: Math.max(last, second) };
    return second - last > (isCount ? 1 : MAX_INTERVAL_SECONDS) ? 'gap' : null;
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
    // Usually, all operations transfer equally many bytes, and a second needs no entry.
    if (bytes !== operations * (this.operationBytes ?? 0)) {
      this.#bytes.set(second, bytes);
    }
  }

  /**
   * @param {number} second that was added before
   * @param {SecondDetails} details
   */
  setDetails(second, details) {
    this.#details.set(second, details);
  }

  /** Whether an adjacent second within the extent is missing. @param {number} second */
  isNextToGap(second) {
    const isMissing = (/** @type {number} */ other) =>
      this.extent !== null && other > this.extent.first && other < this.extent.last && this.get(other) === undefined;
    return isMissing(second - 1) || isMissing(second + 1);
  }

  /** The seconds, in ascending order. */
  keys() {
    return [...this.#tenths.keys()].sort((one, other) => one - other);
  }

  /** Tenths of operations; undefined if no line reports the second. @param {number} second */
  get(second) {
    return this.#tenths.get(second);
  }

  /** @param {number} second that was added before */
  bytesOf(second) {
    return this.#bytes.get(second) ?? ((this.get(second) ?? 0) / 10) * (this.operationBytes ?? 0);
  }

  /** @param {number} second that was added before */
  resultOf(second) {
    return {
      secondStart: second,
      operations: Number(this.get(second)) / 10,
      bytes: Math.round(this.bytesOf(second)),
      ...NO_LATENCY,
      ...this.#details.get(second),
    };
  }

  /** @returns {Generator<SecondResult, void, undefined>} in order */
  *[Symbol.iterator]() {
    for (const second of this.keys()) {
      yield this.resultOf(second);
    }
  }

  /** @param {number} seconds to shift by, a whole number of days */
  move(seconds) {
    const moved = (/** @type {Map<number, any>} */ map) =>
      new Map([...map].map(([at, value]) => [at + seconds, value]));
    this.#tenths = moved(this.#tenths);
    this.#bytes = moved(this.#bytes);
    this.#details = moved(this.#details);
    this.extent = this.extent && { first: this.extent.first + seconds, last: this.extent.last + seconds };
  }
}
