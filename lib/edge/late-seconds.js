import { SecondFeed } from '../meter/second-feed.js';

/** @import { SecondFeedOptions } from '../meter/second-feed.js' */

/**
 * The seconds of a stage whose operations are reported in batches after they finish. Counts operations in order of
 * completion. Passes on a second once no further operation that ended in it can be reported.
 */
export class LateSeconds {
  #counts;
  #feed;
  /** Successes not counted yet. @type {{ finishedAt: number, count: () => void }[]} */
  #waiting = [];

  /** @param {SecondFeedOptions} options */
  constructor(options) {
    this.#counts = options.counts;
    this.#feed = new SecondFeed(options);
  }

  /** @param {{ finishedAt: number, count: () => void }} success in monotonic ms, at or after the last known moment */
  add(success) {
    this.#waiting.push(success);
  }

  /** @param {number} moment monotonic ms before which all operations have been reported */
  knownUntil(moment) {
    this.#countUntil(moment);
    this.#feed.emitUntil(this.#counts.secondOf(moment));
  }

  /** Does nothing: seconds are passed on as responses arrive, not by a timer. */
  start() {}

  /** @param {number} endedAt monotonic ms of the stage's end; all operations must have been reported */
  stop(endedAt) {
    this.#countUntil(Infinity);
    this.#feed.end(endedAt);
  }

  /** @param {number} moment monotonic ms */
  #countUntil(moment) {
    const due = this.#waiting.filter(({ finishedAt }) => finishedAt < moment);
    this.#waiting = this.#waiting.filter(({ finishedAt }) => !(finishedAt < moment));
    due.sort((one, other) => one.finishedAt - other.finishedAt).forEach(({ count }) => count());
  }
}
