/**
 * Time for a whole run: it starts from one reading of the wall clock and goes on by the monotonic clock, so that no
 * adjustment of the host's time can stretch a second or take one out. Once the store's clock is known it is the store's
 * time, so that the seconds of several hosts are the same seconds.
 */
export class Clock {
  #origin;

  /**
   * @param {object} [sources]
   * @param {() => number} [sources.monotonic] ms from any origin
   * @param {() => number} [sources.wall] epoch ms
   */
  constructor({ monotonic = () => performance.now(), wall = Date.now } = {}) {
    /** Monotonic ms. */
    this.now = monotonic;
    this.#origin = wall() - monotonic();
    /** Epoch ms. */
    this.epochNow = () => this.toEpoch(this.now());
  }

  /**
   * @param {number} monotonic ms
   * @returns {number} epoch ms
   */
  toEpoch(monotonic) {
    return this.#origin + monotonic;
  }

  /**
   * Moves the epoch, once and for all, before anything is counted by it.
   *
   * @param {number} offset ms by which the store's clock is ahead of this host's
   */
  adjust(offset) {
    this.#origin += offset;
  }
}
