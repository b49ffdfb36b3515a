import { DOLLARS_A_MILLION, priceOf } from '../analysis/prices.js';

/** How much of the dollars that a search may cost is left. */
export class SearchMoney {
  #left;

  /**
   * @param {number} most dollars; Infinity where no limit was given
   * @param {import('./open-run.js').RequestCounts} requests that were made before, each counted as if it were of the dearer kind
   */
  constructor(most, { preflight, clock, probe }) {
    this.#left = most - ((preflight + clock + probe) * DOLLARS_A_MILLION.A) / 1e6;
  }

  /** Whether there is a limit. */
  get isLimited() {
    return this.#left !== Infinity;
  }

  /**
   * The stages that cost something get equal parts, and those to come what others leave.
   *
   * @param {readonly string[]} stages that are still to run, in lower case, the first one next
   * @returns {number} attempts that the first of them may make
   */
  attemptsFor(stages) {
    const price = priceOf(stages[0]);
    const paying = stages.filter((stage) => priceOf(stage) > 0).length;
    return price === 0 ? Infinity : Math.max(this.#left / paying / price, 0);
  }

  /**
   * @param {string} stage in lower case
   * @param {number} attempts that it has made
   */
  spend(stage, attempts) {
    this.#left -= attempts * priceOf(stage);
  }
}
