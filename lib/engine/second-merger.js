import { LatencyHistogram } from '../meter/latency-histogram.js';

/** @import { SecondCount } from '../model/result.js' */

/**
 * A second with the latencies of the operations that completed in it.
 *
 * @typedef {SecondCount & { latencies: LatencyHistogram }} MeasuredSecond
 */

/**
 * Adds up the seconds of several cores. A second is handed on once every core has told its count of it, in the order of
 * the seconds.
 */
export class SecondMerger {
  #onSecond;
  /** The last second that each core has told. @type {number[]} */
  #told;
  /** @type {Map<number, MeasuredSecond>} */
  #pending = new Map();

  /**
   * @param {number} cores
   * @param {(second: MeasuredSecond) => void} onSecond
   */
  constructor(cores, onSecond) {
    this.#onSecond = onSecond;
    this.#told = Array.from({ length: cores }, () => -Infinity);
  }

  /**
   * @param {number} core
   * @param {MeasuredSecond} measured a second that is over on that core, each later than the one before
   */
  add(core, { second, operations, bytes, latencies }) {
    const pending = this.#pending.get(second) ?? { second, operations: 0, bytes: 0, latencies: new LatencyHistogram() };
    pending.operations += operations;
    pending.bytes += bytes;
    pending.latencies.add(latencies);
    this.#pending.set(second, pending);
    this.#told[core] = second;
    this.#handOn(Math.min(...this.#told));
  }

  /** @param {number} core that has nothing more to tell of this stage */
  end(core) {
    this.#told[core] = Infinity;
    this.#handOn(Math.min(...this.#told));
  }

  /** @param {number} last second */
  #handOn(last) {
    const seconds = [...this.#pending.keys()].filter((second) => second <= last).sort((one, other) => one - other);
    for (const second of seconds) {
      this.#onSecond(/** @type {MeasuredSecond} */ (this.#pending.get(second)));
      this.#pending.delete(second);
    }
  }
}
