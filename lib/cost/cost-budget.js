import { DOLLARS_PER_MILLION, priceOf } from './prices.js';

/** @import { RequestCounts } from '../model/result.js' */

/** Dollars that a search may still spend. */
export class CostBudget {
  #most;
  #left;

  /**
   * @param {number} most dollars; Infinity without a limit
   * @param {RequestCounts} requests made before, each counted at the higher price
   * @param {number} [finalLists] lists after the search
   */
  constructor(most, { preflight, clock, probe }, finalLists = 0) {
    this.#most = most;
    this.#left = most - ((preflight + clock + probe + finalLists) * DOLLARS_PER_MILLION.A) / 1e6;
  }

  /**
   * Divides the remainder equally between the stages that are not free. Later stages get what earlier ones leave.
   *
   * @param {readonly string[]} stages remaining stages in order, in lower case
   * @returns {number} attempts that the first of them may make
   */
  attemptsFor(stages) {
    const price = priceOf(stages[0]);
    return price === 0 ? Infinity : Math.max(this.#left / payingOf(stages) / price, 0);
  }

  /**
   * @param {readonly string[]} stages as above; the first of them has just ended
   * @param {number} attempts that it should have been able to make
   * @param {number} made attempts that it made
   * @returns {number} the lowest limit in dollars that allows these attempts; it also lets earlier stages spend more
   */
  limitFor(stages, attempts, made) {
    const price = priceOf(stages[0]);
    return this.#most - (this.#left + made * price) + attempts * price * payingOf(stages);
  }

  /**
   * @param {string} stage in lower case
   * @param {number} attempts that it made
   */
  spend(stage, attempts) {
    this.#left -= attempts * priceOf(stage);
  }
}

/** @param {readonly string[]} stages in lower case */
function payingOf(stages) {
  return stages.filter((stage) => priceOf(stage) > 0).length;
}
