import { Clock } from '../../lib/measure/clock/clock.js';

/** A stage without warm-up, drain or pauses. */
export const ALL_TIME = Object.freeze({ measuredFrom: -Infinity, clock: { wasSuspended: () => false } });

/** A clock controlled by a test. It starts at an epoch time, with monotonic ms starting at 1000. */
export class ManualClock extends Clock {
  #time;

  /** @param {number} epochStart ms */
  constructor(epochStart) {
    const time = { monotonic: 1000, wall: epochStart };
    super({ monotonic: () => time.monotonic, wall: () => time.wall });
    this.#time = time;
  }

  /** @param {number} milliseconds */
  advance(milliseconds) {
    this.#time.monotonic += milliseconds;
    this.#time.wall += milliseconds;
  }
}
