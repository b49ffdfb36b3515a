import { Clock } from '../../lib/clock/clock.js';

/** A clock that a test sets. It begins at an epoch time and counts its monotonic ms from 1000. */
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

  /** @param {number} milliseconds by which the host's wall clock is set ahead */
  setWallAhead(milliseconds) {
    this.#time.wall += milliseconds;
  }
}
