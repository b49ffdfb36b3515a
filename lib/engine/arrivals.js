import { mixIndex, seedOf } from '../workload/mix.js';

const TWO_TO_THE_32 = 2 ** 32;

/** @import { Trace } from '../model/config.js' */

/**
 * When the operations of an open loop should start, regardless of how the store responds.
 *
 * @typedef {object} Pacing
 * @property {number} rate arrivals per second, across all workers
 * @property {'constant' | 'poisson' | 'recorded'} arrival at equal intervals, at exponentially distributed intervals with
 *   the same mean, like the requests of many independent users, or at the times of recorded requests
 * @property {number} [speed] of recorded requests; 1 if they are as fast as recorded
 * @property {number} [first] number of the first recorded request
 * @property {number} [busiestMinute] recorded requests per second in it, at this speed
 * @property {string} seed for random intervals: every worker computes the same arrivals
 */

/** The arrival times of an open loop. Each depends only on the arrival's number. */
export class Arrivals {
  #interval;
  #seed;
  #next = 0;
  #nextAt = 0;
  /** The time of a recorded request; null if there are none. @type {((number: number) => number) | null} */
  #recorded = null;

  /**
   * @param {Pacing} pacing
   * @param {Pick<Trace, 'times'> | null} [trace] of recorded requests
   */
  constructor({ rate, arrival, seed, speed = 1, first = 0 }, trace = null) {
    if (arrival === 'recorded' && trace !== null) {
      const { times } = trace;
      this.#recorded = (number) => (times[first + number] - (first === 0 ? 0 : times[first])) / speed;
    }
    this.#interval = 1000 / rate;
    this.#seed = arrival === 'poisson' ? seedOf(seed) : null;
  }

  /** Ms from the stage's start. @param {number} number of the arrival, from 0; never lower than in an earlier call */
  timeOf(number) {
    if (this.#recorded !== null) {
      return this.#recorded(number);
    }
    if (this.#seed === null) {
      return number * this.#interval;
    }
    // Each worker adds up all intervals, including the intervals before arrivals that other workers handle.
    while (this.#next < number) {
      this.#next += 1;
      this.#nextAt += exponential(mixIndex(this.#next, this.#seed)) * this.#interval;
    }
    return this.#nextAt;
  }
}

/** An exponentially distributed value with mean 1, by inversion sampling. @param {number} drawn uniform in [0, 2³²) */
function exponential(drawn) {
  return -Math.log((drawn + 0.5) / TWO_TO_THE_32);
}
