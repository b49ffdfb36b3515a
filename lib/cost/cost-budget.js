import { DOLLARS_PER_MILLION, priceOf } from './prices.js';

/** @import { RequestCounts } from '../model/result.js' */

/** Dollars that a search may still spend. */
export class CostBudget {
  #most;
  #left;

  /**
   * @param {number} most dollars; Infinity without a limit
   * @param {RequestCounts} requests made before the search, each counted at the class A price
   * @param {number} [finalLists] list requests after the search
   */
  constructor(most, { preflight, clock, probe }, finalLists = 0) {
    this.#most = most;
    this.#left = most - ((preflight + clock + probe + finalLists) * DOLLARS_PER_MILLION.A) / 1e6;
  }

  /**
   * Divides the remaining dollars equally among the paid stages. What a stage does not spend goes to later stages.
   *
   * @param {readonly string[]} stages remaining stages in order, in lower case
   * @returns {number} attempts that the first stage may make
   */
  attemptsFor(stages) {
    const price = priceOf(stages[0]);
    return price === 0 ? Infinity : Math.max(this.#left / payingOf(stages) / price, 0);
  }

  /**
   * @param {readonly string[]} stages in lower case: the one that has just ended, then all that share the increase
   * @param {number} attempts that the ended stage needed
   * @param {number} made number of attempts it made
   * @returns {number} limit in dollars that allows these attempts, even if the other stages spend their share of
   *   the increase
   */
  limitFor(stages, attempts, made) {
    const price = priceOf(stages[0]);
    return this.#most - (this.#left + made * price) + attempts * price * payingOf(stages);
  }

  /**
   * @param {string} stage in lower case
   * @param {number} attempts that the stage made
   */
  spend(stage, attempts) {
    this.#left -= attempts * priceOf(stage);
  }
}

/** @param {readonly string[]} stages in lower case */
function payingOf(stages) {
  return stages.filter((stage) => priceOf(stage) > 0).length;
}
