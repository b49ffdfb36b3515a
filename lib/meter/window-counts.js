/** @typedef {{ startsAt: number, width: number }} Windows of `width` ms each, the first at monotonic ms `startsAt` */

/** Operations by the window in which they completed, for cases in which seconds are too coarse. */
export class WindowCounts {
  #startsAt;
  #width;
  /** @type {number[]} */
  #counts = [];

  /** @param {Windows | null} windows null to count nothing */
  constructor(windows) {
    this.#startsAt = windows?.startsAt ?? 0;
    this.#width = windows?.width ?? 0;
  }

  /** @param {number} finishedAt monotonic ms; times before the first window count in it */
  add(finishedAt) {
    if (this.#width === 0) {
      return;
    }
    this.#addTo(Math.max(Math.floor((finishedAt - this.#startsAt) / this.#width), 0), 1);
  }

  /** @param {readonly number[]} counts of another worker, for the same windows */
  addCounts(counts) {
    counts.forEach((count, window) => this.#addTo(window, count));
  }

  /** @returns {readonly number[]} from the first window to the last in which an operation completed */
  get counts() {
    return this.#counts;
  }

  /**
   * @param {number} window
   * @param {number} count
   */
  #addTo(window, count) {
    while (this.#counts.length <= window) {
      this.#counts.push(0);
    }
    this.#counts[window] += count;
  }
}
