/**
 * @import { Clock } from '../clock/clock.js'
 * @import { StageMeters } from './stage-meter.js'
 */

/**
 * Hands on each second of a stage once it is over, and the last one at the stage's end. A late timer delays a second; it
 * can neither lose one nor hand one on twice.
 */
export class SecondSampler {
  #clock;
  #counts;
  #onSecond;
  #next;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /**
   * @param {object} options
   * @param {Clock} options.clock
   * @param {Pick<StageMeters, 'secondOf' | 'at' | 'until'>} options.counts
   * @param {number} options.startedAt monotonic ms
   * @param {(second: ReturnType<StageMeters['at']>) => void} options.onSecond
   */
  constructor({ clock, counts, startedAt, onSecond }) {
    this.#clock = clock;
    this.#counts = counts;
    this.#onSecond = onSecond;
    this.#next = counts.secondOf(startedAt);
  }

  start() {
    const untilNext = (this.#next + 1) * 1000 - this.#clock.epochNow();
    this.#timer = setTimeout(() => {
      const current = Math.floor(this.#clock.epochNow() / 1000);
      while (this.#next < current) {
        this.#handOn();
      }
      this.start();
    }, untilNext);
  }

  /** @param {number} endedAt monotonic ms of the stage's end */
  stop(endedAt) {
    clearTimeout(this.#timer);
    for (const { secondStart } of this.#counts.until(endedAt)) {
      if (secondStart >= this.#next) {
        this.#handOn();
      }
    }
  }

  #handOn() {
    this.#onSecond(this.#counts.at(this.#next));
    this.#next += 1;
  }
}
