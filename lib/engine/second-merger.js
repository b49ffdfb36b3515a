import { sumOfSeconds } from '../model/records.js';

/**
 * @import { LatencyHistogram } from '../meter/latency-histogram.js'
 * @import { KindCount } from '../meter/stage-meter.js'
 * @import { SecondCount } from '../model/result.js'
 */

/**
 * @typedef {SecondCount & { latencies: LatencyHistogram, objectBytes?: number, kinds?: KindCount[],
 *   billed: number[] }} MeasuredSecond `latencies`: of operations that completed in the second; `objectBytes`: of their
 *   objects, if there is only one kind; `kinds`: the counts of each kind if there are several; `billed`: attempts by kind
 *   that the store bills, since the previous second
 */

/** Merges the seconds of several workers, and passes each on, in order, once every worker has reported it. */
export class SecondMerger {
  #onSecond;
  /** The last second that each worker has reported. @type {number[]} */
  #reported;
  /** @type {Map<number, MeasuredSecond[]>} */
  #pending = new Map();

  /**
   * @param {number} workers
   * @param {(second: MeasuredSecond) => void} onSecond
   */
  constructor(workers, onSecond) {
    this.#onSecond = onSecond;
    this.#reported = Array.from({ length: workers }, () => -Infinity);
  }

  /**
   * @param {number} worker
   * @param {MeasuredSecond} measured a completed second of that worker, later than its previous one
   */
  add(worker, measured) {
    const { secondStart } = measured;
    this.#pending.set(secondStart, [...(this.#pending.get(secondStart) ?? []), measured]);
    this.#reported[worker] = secondStart;
    this.#handOn(Math.min(...this.#reported));
  }

  /** @param {number} worker that has no more seconds in this stage */
  end(worker) {
    this.#reported[worker] = Infinity;
    this.#handOn(Math.min(...this.#reported));
  }

  /** @param {number} last second */
  #handOn(last) {
    const seconds = [...this.#pending.keys()].filter((second) => second <= last).sort((one, other) => one - other);
    for (const second of seconds) {
      this.#onSecond(sumOfSeconds(/** @type {MeasuredSecond[]} */ (this.#pending.get(second))));
      this.#pending.delete(second);
    }
  }
}
