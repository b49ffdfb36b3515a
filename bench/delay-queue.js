/** Node's timers have a resolution of 1 ms, so half a tick early is as accurate as the next tick. */
const HALF_TICK_MS = 0.5;

/**
 * Calls back a fixed time after each addition. All delays are equal, so a queue keeps them in order, and one timer serves
 * thousands of them.
 */
export class DelayQueue {
  #delay;
  #now;
  #wake;
  /** In order of due time. @type {{ due: number, callback: () => void }[]} */
  #waiting = [];

  /**
   * @param {object} options
   * @param {number} options.delay ms
   * @param {() => number} options.now monotonic ms
   * @param {(callback: () => void, delay: number) => unknown} options.wake calls back after this delay in ms; can be early
   */
  constructor({ delay, now, wake }) {
    this.#delay = delay;
    this.#now = now;
    this.#wake = wake;
  }

  /** @param {() => void} callback */
  add(callback) {
    this.#waiting.push({ due: this.#now() + this.#delay, callback });
    if (this.#waiting.length === 1) {
      this.#wakeForFirst();
    }
  }

  /** Rounds down to whole milliseconds, because Node rounds up. */
  #wakeForFirst() {
    this.#wake(() => this.#callBack(), Math.max(Math.floor(this.#waiting[0].due - this.#now()), 0));
  }

  #callBack() {
    const latest = this.#now() + HALF_TICK_MS;
    const left = this.#waiting.findIndex(({ due }) => due > latest);
    const due = this.#waiting.splice(0, left < 0 ? this.#waiting.length : left);
    if (this.#waiting.length > 0) {
      this.#wakeForFirst();
    }
    due.forEach(({ callback }) => callback());
  }
}
