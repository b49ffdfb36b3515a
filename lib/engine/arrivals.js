import { mixIndex, seedOf } from '../workload/mix.js';

const TWO_TO_THE_32 = 2 ** 32;

/**
 * When the operations of an open loop are to start, whatever the store does meanwhile.
 *
 * @typedef {object} Pacing
 * @property {number} rate arrivals a second, of all workers together
 * @property {'constant' | 'poisson'} arrival at equal intervals, or at random ones with that mean, exponentially
 *   distributed, as requests of many independent users arrive
 * @property {string} seed of the random ones: the same arrivals on every worker
 */

/** The times of an open loop's arrivals: a function of their number alone. */
export class Arrivals {
  #interval;
  #seed;
  #next = 0;
  #nextAt = 0;

  /** @param {Pacing} pacing */
  constructor({ rate, arrival, seed }) {
    this.#interval = 1000 / rate;
    this.#seed = arrival === 'poisson' ? seedOf(seed) : null;
  }

  /**
   * @param {number} number of the arrival from 0, not below an earlier one
   * @returns {number} ms from the stage's start
   */
  timeOf(number) {
    if (this.#seed === null) {
      return number * this.#interval;
    }
    // Each worker adds up all intervals, also those before arrivals that fall to other workers.
    while (this.#next < number) {
      this.#next += 1;
      this.#nextAt += exponential(mixIndex(this.#next, this.#seed)) * this.#interval;
    }
    return this.#nextAt;
  }
}

/**
 * @param {number} drawn uniform in [0, 2³²)
 * @returns {number} exponentially distributed with mean 1, by inversion
 */
function exponential(drawn) {
  return -Math.log((drawn + 0.5) / TWO_TO_THE_32);
}
