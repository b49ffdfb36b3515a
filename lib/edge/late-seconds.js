import { SecondFeed } from '../meter/second-feed.js';

/** @import { SecondFeedOptions } from '../meter/second-feed.js' */

/**
 * A success to be counted in its turn; `finishedAt` in monotonic ms. @typedef {{ finishedAt: number, count: () => void
 * }} LateSuccess
 */

/**
 * The seconds of a stage whose operations are reported in batches, after they finish. They are counted in order of
 * completion, and a second is handed on once no more operations that ended in it can arrive.
 */
export class LateSeconds {
  #counts;
  #feed;
  /** @type {LateSuccess[]} */
  #waiting = [];

  /** @param {SecondFeedOptions} options */
  constructor(options) {
    this.#counts = options.counts;
    this.#feed = new SecondFeed(options);
  }

  /** @param {LateSuccess} success that ended at or after the last known moment */
  add(success) {
    this.#waiting.push(success);
  }

  /** @param {number} moment monotonic ms; every operation that ended before it is known */
  knownUntil(moment) {
    this.#countUntil(moment);
    this.#feed.handOnUntil(this.#counts.secondOf(moment));
  }

  /** Answers hand on the seconds, so there is no timer to start. */
  start() {}

  /** @param {number} endedAt monotonic ms of the stage's end, when everything is known */
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
