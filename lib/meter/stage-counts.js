import { COUNT_NAMES } from '../model/counters.js';

/**
 * @import { CountName } from '../model/result.js'
 *
 * @typedef {Exclude<CountName, 'attempts'>} SummedCount
 */

/** The counters that are counted one by one. Attempts follow from the operations and the attempts that failed. */
export const SUMMED_COUNTS = /** @type {SummedCount[]} */ (COUNT_NAMES.filter((name) => name !== 'attempts'));

/** All of them, at zero. */
export const SummedCounts = /** @type {new () => Record<SummedCount, number>} */ (
  class {
    constructor() {
      SUMMED_COUNTS.forEach((name) => Object.assign(this, { [name]: 0 }));
    }
  }
);
