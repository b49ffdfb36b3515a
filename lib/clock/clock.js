const CLOCK_READINGS = 20;

/** The system cuts its time to whole milliseconds: it is half of one further, give or take as much. */
const wallTime = () => Date.now() + 0.5;

/**
 * A clock in a form that can be sent to another thread.
 *
 * @typedef {object} ClockState
 * @property {number} origin epoch ms at monotonic 0
 * @property {number} systemTime the system's own monotonic time, which all threads share, at monotonic 0, in ms
 */

/**
 * Time for a whole run: it starts from the wall clock and goes on by the monotonic clock, so that no adjustment of the
 * host's time can stretch a second or take one out. Once the store's clock is known it is the store's time, so that the
 * seconds of several hosts are the same seconds.
 */
export class Clock {
  #origin;

  /**
   * @param {object} [sources]
   * @param {() => number} [sources.monotonic] ms from any origin
   * @param {() => number} [sources.wall] epoch ms
   */
  constructor({ monotonic = () => performance.now(), wall = wallTime } = {}) {
    /** Monotonic ms. */
    this.now = monotonic;
    this.#origin = aheadOf(monotonic, wall);
    /** This clock, as another thread needs it. @type {() => ClockState} */
    this.toState = () => ({ origin: this.#origin, systemTime: aheadOf(monotonic, systemTime) });
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
   * The same clock in another thread, where Node counts its monotonic time from another moment.
   *
   * @param {ClockState} state
   * @returns {Clock}
   */
  static fromState({ origin, systemTime: atZero }) {
    const shift = aheadOf(() => performance.now(), systemTime) - atZero;
    const clock = new Clock({ monotonic: () => performance.now() + shift });
    // Exactly: a moment must not be in one second here, and in the second before it there.
    clock.#origin = origin;
    return clock;
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

/** @returns {number} ms */
function systemTime() {
  return Number(process.hrtime.bigint()) / 1e6;
}

/**
 * Two clocks cannot be read at the same moment, and a thread may be kept waiting between them for many milliseconds: of
 * some tries the quickest counts, which nothing came between.
 *
 * @param {() => number} monotonic ms
 * @param {() => number} other ms
 * @returns {number} ms by which the other clock is ahead of the monotonic one
 */
function aheadOf(monotonic, other) {
  let shortest = Infinity;
  let ahead = 0;
  for (let tries = 0; tries < CLOCK_READINGS; tries++) {
    const before = monotonic();
    const reading = other();
    const after = monotonic();
    if (after - before < shortest) {
      shortest = after - before;
      ahead = reading - (before + after) / 2;
    }
  }
  return ahead;
}
