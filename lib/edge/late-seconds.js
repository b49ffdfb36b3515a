/**
 * @import { StageMeters } from '../meter/stage-meter.js'
 */

/** An operation that has succeeded, and what is done once its turn has come. @typedef {{ finishedAt: number, count: () => void }} LateSuccess finishedAt in monotonic ms */

/**
 * The seconds of a stage whose operations become known later than they finish, many at a time: they are counted in the order of
 * their ends, and a second is handed on once no operation can come any more that has ended in it.
 */
export class LateSeconds {
  #counts;
  #onSecond;
  #next;
  /** @type {LateSuccess[]} */
  #waiting = [];

  /**
   * @param {object} options
   * @param {Pick<StageMeters, 'secondOf' | 'at' | 'until'>} options.counts
   * @param {number} options.startedAt monotonic ms
   * @param {(second: ReturnType<StageMeters['at']>) => void} options.onSecond
   */
  constructor({ counts, startedAt, onSecond }) {
    this.#counts = counts;
    this.#onSecond = onSecond;
    this.#next = counts.secondOf(startedAt);
  }

  /** @param {LateSuccess} success that has ended at the moment that was last known of, or after it */
  add(success) {
    this.#waiting.push(success);
  }

  /** @param {number} moment monotonic ms, before which no operation has ended that is not known */
  knownUntil(moment) {
    const due = this.#waiting.filter(({ finishedAt }) => finishedAt < moment);
    this.#waiting = this.#waiting.filter(({ finishedAt }) => !(finishedAt < moment));
    due.sort((one, other) => one.finishedAt - other.finishedAt).forEach(({ count }) => count());
    const current = moment === Infinity ? -Infinity : this.#counts.secondOf(moment);
    while (this.#next < current) {
      this.#handOn();
    }
  }

  /** @param {number} endedAt monotonic ms of the stage's end: everything is known */
  end(endedAt) {
    this.knownUntil(Infinity);
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
