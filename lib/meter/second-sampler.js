import { SecondFeed } from './second-feed.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { SecondFeedOptions } from './second-feed.js'
 */

/**
 * Passes on each second once it is over, and the last at the stage's end. Late timers never lose or repeat a second.
 */
export class SecondSampler {
  #clock;
  #feed;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /** @param {SecondFeedOptions & { clock: Clock }} options */
  constructor({ clock, ...options }) {
    this.#clock = clock;
    this.#feed = new SecondFeed(options);
  }

  start() {
    const untilNext = (this.#feed.next + 1) * 1000 - this.#clock.epochNow();
    this.#timer = setTimeout(() => {
      this.#feed.emitUntil(Math.floor(this.#clock.epochNow() / 1000));
      this.start();
    }, untilNext);
  }

  /** @param {number} endedAt monotonic ms of the stage's end */
  stop(endedAt) {
    clearTimeout(this.#timer);
    this.#feed.end(endedAt);
  }
}
