import { StepBudget } from './step-budget.js';
import { COMPARISON, STAGE_MS, operationsOfSearch, shortest, timesOf } from './search-plan.js';

/**
 * @import { SearchPhase } from '../model/search.js'
 * @import { StepTimes } from './search-plan.js'
 * @import { TestedSteps } from './tested-steps.js'
 */

/** Half-size objects might be a little more than twice as fast. */
const HALF_SIZE_GAIN = 2.2;

/**
 * The time, operations and attempts that a search has left, and what it must keep for later steps. It counts in
 * operations, and assumes that each needs as many attempts as in the last step.
 */
export class OperationBudget extends StepBudget {
  #tested;
  #unloadedLatency;
  #maxOperations;
  #sharesOperations;
  #comparesSizes;

  /**
   * @param {object} options
   * @param {TestedSteps} options.tested
   * @param {number} options.unloadedLatency ms
   * @param {number} options.maxOperations that objects allow
   * @param {number} options.maxAttempts that dollars allow
   * @param {boolean} options.sharesOperations whether the user cannot provide more: if the hold cannot get all it
   *   needs, it gets half of the operations
   * @param {boolean} options.comparesSizes whether half-size objects may be tried after the hold
   */
  constructor({ tested, unloadedLatency, maxOperations, maxAttempts, sharesOperations, comparesSizes }) {
    super({ time: STAGE_MS, maxOperations, maxAttempts, sharesOperations });
    this.#tested = tested;
    this.#unloadedLatency = unloadedLatency;
    this.#maxOperations = maxOperations;
    this.#sharesOperations = sharesOperations;
    this.#comparesSizes = comparesSizes;
  }

  /** Attempts for this many operations, so that enough attempts remain for all others. @param {number} operations */
  attemptsFor(operations) {
    const others = this.operationsLeft - operations;
    return this.attemptsLeft === Infinity ? Infinity : this.attemptsLeft - this.attemptsPerOperation.last * others;
  }

  /**
   * @param {SearchPhase} phase
   * @param {number} threads
   */
  timesOf(phase, threads) {
    const latency = this.#tested.expectedLatency(threads);
    const times = timesOf(phase, { unloadedLatency: this.#unloadedLatency, latency });
    if (phase !== 'hold') {
      return times;
    }
    // Operations may have become slower since time was reserved: limit the grace to the time that is left.
    const left = Math.max(0, this.timeLeft - times.settle - times.maxDuration);
    return { ...times, grace: Math.min(times.grace, left) };
  }

  /** ms left for steps, minus the time for the hold and, on a plateau, the comparison of sizes. */
  get timeForSteps() {
    const threads = this.#tested.highest?.threads ?? 1;
    const hold = shortest(this.timesOf('hold', threads));
    // Without a plateau there is nothing to compare; if time is short, the ramp is more useful.
    const keepsForSizes = this.#comparesSizes && this.#tested.hasPlateau;
    const comparison = COMPARISON.length * shortest(this.timesOf('half size', threads));
    return this.timeLeft - hold - (keepsForSizes ? comparison : 0);
  }

  /** Operations left for steps, minus those for a hold at the best rate and, on a plateau, the comparison of sizes. */
  get operationsForSteps() {
    const { best, highest, hasPlateau } = this.#tested;
    const threads = highest?.threads ?? 0;
    const hold = operationsIn(best, threads, this.timesOf('hold', threads));
    // If too few operations are left for the hold, more steps can still show that the rate is higher.
    if (hold > this.operationsLeft && !this.#sharesOperations) {
      return this.operationsLeft;
    }
    const kept = hold + (hasPlateau ? this.#comparisonOperations(best, threads) : 0);
    return this.operationsLeft - (this.#sharesOperations ? Math.min(kept, this.#maxOperations / 2) : kept);
  }

  /**
   * @param {number} rate per second
   * @param {number} threads
   * @returns {number} operations for the hold: all that are left, minus those for the comparison of sizes if both fit
   */
  operationsForHold(rate, threads) {
    const without = this.operationsLeft - this.#comparisonOperations(rate, threads);
    const needed = operationsIn(rate, threads, this.timesOf('hold', threads));
    return without >= needed ? without : this.operationsLeft;
  }

  /** What suffices for the highest rate expected of the store, because another search would go further. */
  get needed() {
    const { rate, threads } = this.#tested.mostExpected;
    return this.neededIf(operationsOfSearch(rate, threads));
  }

  /**
   * @param {number} rate whole-size objects per second
   * @param {number} threads
   */
  #comparisonOperations(rate, threads) {
    if (!this.#comparesSizes) {
      return 0;
    }
    const rates = COMPARISON.map((phase) => (phase === 'half size' ? HALF_SIZE_GAIN * rate : rate));
    return rates.reduce((sum, each) => sum + operationsIn(each, threads, this.timesOf('half size', threads)), 0);
  }
}

/**
 * @param {number} rate per second
 * @param {number} threads
 * @param {StepTimes} times
 * @returns {number} operations that start in that time
 */
export function operationsIn(rate, threads, { settle, maxDuration }) {
  return Math.ceil((rate * (settle + maxDuration)) / 1000) + threads;
}
