import { SecondFeed } from '../meter/second-feed.js';

/**
 * @import { SecondFeedOptions } from '../meter/second-feed.js'
 */

/** An operation that has succeeded, and what is done once its turn has come. @typedef {{ finishedAt: number, count: () => void }} LateSuccess finishedAt in monotonic ms */

/**
 * The seconds of a stage whose operations become known later than they finish, many at a time: they are counted in the order of
 * their ends, and a second is handed on once no operation can come any more that has ended in it.
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

  /** @param {LateSuccess} success that has ended at the moment that was last known of, or after it */
  add(success) {
    this.#waiting.push(success);
  }

  /** @param {number} moment monotonic ms, before which no operation has ended that is not known */
  knownUntil(moment) {
    this.#countUntil(moment);
    this.#feed.handOnUntil(this.#counts.secondOf(moment));
  }

  /** The answers of slices hand on the seconds; there is no timer to start. */
  start() {}

  /** @param {number} endedAt monotonic ms of the stage's end: everything is known */
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
