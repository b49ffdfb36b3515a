/** @typedef {import('../meter/second-counts.js').SecondCount} SecondCount */

/**
 * Adds up the seconds of several cores. A second is handed on once every core has told its count of it, in the order of
 * the seconds.
 */
export class SecondMerger {
  #onSecond;
  /** The last second that each core has told. @type {number[]} */
  #told;
  /** @type {Map<number, SecondCount>} */
  #pending = new Map();

  /**
   * @param {number} cores
   * @param {(second: SecondCount) => void} onSecond
   */
  constructor(cores, onSecond) {
    this.#onSecond = onSecond;
    this.#told = Array.from({ length: cores }, () => -Infinity);
  }

  /**
   * @param {number} core
   * @param {SecondCount} count of a second that is over on that core, each later than the one before
   */
  add(core, { second, operations, bytes }) {
    const pending = this.#pending.get(second) ?? { second, operations: 0, bytes: 0 };
    pending.operations += operations;
    pending.bytes += bytes;
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
      this.#onSecond(/** @type {SecondCount} */ (this.#pending.get(second)));
      this.#pending.delete(second);
    }
  }
}
