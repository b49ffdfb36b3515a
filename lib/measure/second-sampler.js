import { isPaused } from '../result/records.js';

/**
 * @import { Clock } from './clock/clock.js'
 * @import { StageMeters } from './stage-meter.js'
 *
 * @typedef {object} SecondOptions
 * @property {Pick<StageMeters, 'secondOf' | 'at' | 'until'>} counts
 * @property {number} startedAt monotonic ms of the stage
 * @property {(second: ReturnType<StageMeters['at']>) => void} onSecond
 */

/**
 * Passes on each second of a stage once, in order: as soon as it is over, and the last at the stage's end. Late timers
 * never lose or repeat a second.
 */
export class SecondSampler {
  #clock;
  #counts;
  #onSecond;
  #next;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /** @param {SecondOptions & { clock: Clock }} options */
  constructor({ clock, counts, startedAt, onSecond }) {
    this.#clock = clock;
    this.#counts = counts;
    this.#onSecond = onSecond;
    this.#next = counts.secondOf(startedAt);
  }

  start() {
    // A busy event loop may be late for the next second already.
    const untilNext = Math.max((this.#next + 1) * 1000 - this.#clock.epochNow(), 0);
    this.#timer = setTimeout(() => {
      const current = Math.floor(this.#clock.epochNow() / 1000);
      while (this.#next < current) {
        if (isPaused(this.#next, this.#clock)) {
          this.#next += 1;
        } else {
          this.#handOn();
        }
      }
      this.start();
    }, untilNext);
  }

  /** @param {number} endedAt monotonic ms of the stage's end */
  stop(endedAt) {
    clearTimeout(this.#timer);
    for (const { secondStart } of this.#counts.until(endedAt)) {
      if (secondStart >= this.#next) {
        this.#next = secondStart;
        this.#handOn();
      }
    }
  }

  #handOn() {
    this.#onSecond(this.#counts.at(this.#next));
    this.#next += 1;
  }
}
