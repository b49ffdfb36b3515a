import { DOLLARS_A_MILLION, priceOf } from './prices.js';

/** @import { RequestCounts } from '../model/result.js' */

/** How much of the dollars that a search may cost is left. */
export class CostBudget {
  #most;
  #left;

  /**
   * @param {number} most dollars; Infinity where no limit was given
   * @param {RequestCounts} requests that were made before, each counted as if it were of the dearer kind
   * @param {number} [finalLists] that come after the search
   */
  constructor(most, { preflight, clock, probe }, finalLists = 0) {
    this.#most = most;
    this.#left = most - ((preflight + clock + probe + finalLists) * DOLLARS_A_MILLION.A) / 1e6;
  }

  /**
   * The stages that cost something get equal parts, and those to come what others leave.
   *
   * @param {readonly string[]} stages that are still to run, in lower case, the first one next
   * @returns {number} attempts that the first of them may make
   */
  attemptsFor(stages) {
    const price = priceOf(stages[0]);
    return price === 0 ? Infinity : Math.max(this.#left / payingOf(stages) / price, 0);
  }

  /**
   * @param {readonly string[]} stages as above; the first of them has just been
   * @param {number} attempts that it should have been able to make
   * @param {number} made attempts that it has made
   * @returns {number} dollars that the run would have to be allowed for it, at least: earlier stages may take more then, too
   */
  limitFor(stages, attempts, made) {
    const price = priceOf(stages[0]);
    return this.#most - (this.#left + made * price) + attempts * price * payingOf(stages);
  }

  /**
   * @param {string} stage in lower case
   * @param {number} attempts that it has made
   */
  spend(stage, attempts) {
    this.#left -= attempts * priceOf(stage);
  }
}

/** @param {readonly string[]} stages in lower case */
function payingOf(stages) {
  return stages.filter((stage) => priceOf(stage) > 0).length;
}
