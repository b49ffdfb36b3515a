import { DOLLARS_PER_MILLION, priceOf } from './prices.js';

const LIST_PRICE = DOLLARS_PER_MILLION.A / 1e6;

/** Clean-up may need one list page per this many written objects. */
const OBJECTS_PER_PAGE = 1000;

/** Dollars that a run may still spend. */
export class CostBudget {
  #left;

  /**
   * @param {number} [most] dollars; default: no limit
   * @param {number} [finalLists] list requests after the stages
   */
  constructor(most = Infinity, finalLists = 0) {
    this.#left = most;
    this.spendRequests(finalLists);
  }

  /** @param {number} requests outside the stages, each counted at the class A price */
  spendRequests(requests) {
    this.#left -= requests * LIST_PRICE;
  }

  /**
   * @param {string} operation
   * @param {number} attempts at it, including those of its parts
   * @returns {number} dollars that they cost
   */
  spend(operation, attempts) {
    const dollars = attempts * priceOf(operation);
    this.#left -= dollars;
    return dollars;
  }

  /**
   * @param {number} dollars
   * @param {number} objects that clean-up will have to find with lists
   */
  affords(dollars, objects) {
    return dollars === 0 || dollars + (objects / OBJECTS_PER_PAGE) * LIST_PRICE <= this.#left;
  }

  /**
   * Divides the remaining dollars equally among the paid stages. What a stage does not spend goes to later stages.
   *
   * @param {readonly string[]} stages remaining stages in order, in lower case
   * @returns {number} attempts that the first stage may make
   */
  attemptsFor(stages) {
    const price = priceOf(stages[0]);
    return price === 0
      ? Infinity
      : Math.max(this.#left / stages.filter((stage) => priceOf(stage) > 0).length / price, 0);
  }
}
