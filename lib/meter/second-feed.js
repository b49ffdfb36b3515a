/**
 * @import { StageMeters } from './stage-meter.js'
 *
 * @typedef {object} SecondFeedOptions
 * @property {Pick<StageMeters, 'secondOf' | 'at' | 'until' | 'isPaused'>} counts
 * @property {number} startedAt monotonic ms of the stage
 * @property {(second: ReturnType<StageMeters['at']>) => void} onSecond
 */

/** Passes on each second of a stage once, in order, as soon as it is known to be over. */
export class SecondFeed {
  #counts;
  #onSecond;
  #next;

  /** @param {SecondFeedOptions} options */
  constructor({ counts, startedAt, onSecond }) {
    this.#counts = counts;
    this.#onSecond = onSecond;
    this.#next = counts.secondOf(startedAt);
  }

  /** The next epoch second to pass on. */
  get next() {
    return this.#next;
  }

  /** @param {number} second epoch second; all earlier ones are over */
  emitUntil(second) {
    while (this.#next < second) {
      if (this.#counts.isPaused(this.#next)) {
        this.#next += 1;
      } else {
        this.#handOn();
      }
    }
  }

  /** @param {number} endedAt monotonic ms of the stage's end */
  end(endedAt) {
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
