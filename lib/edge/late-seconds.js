import { SecondFeed } from '../meter/second-feed.js';

/** @import { SecondFeedOptions } from '../meter/second-feed.js' */

/**
 * The seconds of a stage whose operations are reported in batches after they finish. Operations are counted in order of
 * completion. A second is passed on once no more operations that ended in it can arrive.
 */
export class LateSeconds {
  #counts;
  #feed;
  /** Monotonic ms, and what counts the operation. @type {{ finishedAt: number, count: () => void }[]} */
  #waiting = [];

  /** @param {SecondFeedOptions} options */
  constructor(options) {
    this.#counts = options.counts;
    this.#feed = new SecondFeed(options);
  }

  /** @param {{ finishedAt: number, count: () => void }} success that ended at or after the last known moment */
  add(success) {
    this.#waiting.push(success);
  }

  /** @param {number} moment monotonic ms; all operations that ended before it have been reported */
  knownUntil(moment) {
    this.#countUntil(moment);
    this.#feed.handOnUntil(this.#counts.secondOf(moment));
  }

  /** Responses pass on the seconds, so there is no timer to start. */
  start() {}

  /** @param {number} endedAt monotonic ms of the stage's end, when all operations have been reported */
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
