/** @import { Clock } from '../clock/clock.js' */

/**
 * Corrects the bytes of each second: they are counted when their operation completes, but some may have been
 * transferred in earlier seconds. Spreads the bytes of an operation evenly over its successful attempt. Otherwise, a
 * few large objects that end together would show a peak that never occurred on the network.
 */
export class ByteShifts {
  #clock;
  /** By epoch second. @type {Map<number, number>} */
  #shifts = new Map();

  /** @param {Clock} clock */
  constructor(clock) {
    this.#clock = clock;
  }

  /**
   * @param {number} second epoch second in which an operation completed, and its bytes were counted
   * @param {number} startedAt monotonic ms of its successful attempt
   * @param {number} finishedAt monotonic ms
   * @param {number} bytes
   */
  add(second, startedAt, finishedAt, bytes) {
    const from = this.#clock.toEpoch(startedAt);
    if (from >= second * 1000) {
      return;
    }
    const perMillisecond = bytes / (finishedAt - startedAt);
    let before = 0;
    for (let earlier = Math.floor(from / 1000); earlier < second; earlier += 1) {
      const share = perMillisecond * ((earlier + 1) * 1000 - Math.max(earlier * 1000, from));
      this.#shift(earlier, share);
      before += share;
    }
    this.#shift(second, -before);
  }

  /** Bytes to add to the bytes counted in this second. @param {number} second epoch second */
  at(second) {
    return this.#shifts.get(second) ?? 0;
  }

  /** @returns {[second: number, bytes: number][]} */
  toState() {
    return [...this.#shifts];
  }

  /** @param {readonly [second: number, bytes: number][]} state counts of another worker */
  addState(state) {
    state.forEach(([second, bytes]) => this.#shift(second, bytes));
  }

  /**
   * @param {number} second
   * @param {number} bytes
   */
  #shift(second, bytes) {
    this.#shifts.set(second, this.at(second) + bytes);
  }
}
