import { StepBudget } from './step-budget.js';
import { COMPARISON, STAGE_MS, operationsOfSearch, shortest, timesOf } from './search-plan.js';

/**
 * @import { SearchPhase } from '../model/search.js'
 * @import { StepTimes } from './search-plan.js'
 * @import { TestedSteps } from './tested-steps.js'
 */

/** Objects of half the size may be twice as quick, and a little more. */
const HALF_SIZE_GAIN = 2.2;

/**
 * What a search has left of its time, of its operations and of their attempts, and what has to be kept of each for what is
 * still to come. It plans in operations, each of which takes as many attempts as in the last step.
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
   * @param {number} options.maxOperations that there are objects for
   * @param {number} options.maxAttempts that there are dollars for
   * @param {boolean} options.sharesOperations whether the user cannot give more: the hold then gets half of the operations, if
   *   it cannot get all it needs
   * @param {boolean} options.comparesSizes whether objects of half the size may be tried after the hold
   */
  constructor({ tested, unloadedLatency, maxOperations, maxAttempts, sharesOperations, comparesSizes }) {
    super({ time: STAGE_MS, maxOperations, maxAttempts, sharesOperations });
    this.#tested = tested;
    this.#unloadedLatency = unloadedLatency;
    this.#maxOperations = maxOperations;
    this.#sharesOperations = sharesOperations;
    this.#comparesSizes = comparesSizes;
  }

  /**
   * @param {number} operations of those that are left
   * @returns {number} attempts that they may take, so that there are enough for the others
   */
  attemptsFor(operations) {
    const others = this.operationsLeft - operations;
    return this.attemptsLeft === Infinity ? Infinity : this.attemptsLeft - this.attemptsAnOperation.last * others;
  }

  /**
   * @param {SearchPhase} phase
   * @param {number} threads
   * @returns {StepTimes}
   */
  timesOf(phase, threads) {
    const latency = this.#tested.expectedLatency(threads);
    const times = timesOf(phase, { unloadedLatency: this.#unloadedLatency, latency });
    if (phase !== 'hold') {
      return times;
    }
    // Its time was kept free before the last step, which may have shown that operations take longer than any before.
    const left = Math.max(0, this.timeLeft - times.settle - times.maxDuration);
    return { ...times, grace: Math.min(times.grace, left) };
  }

  /** ms for steps, without those of the hold and of the comparison of the sizes. */
  get timeForSteps() {
    const threads = this.#tested.highest?.threads ?? 1;
    const hold = shortest(this.timesOf('hold', threads));
    // Without a plateau there is nothing to compare: where there is no time for everything, the ramp is worth more.
    const keepsForSizes = this.#comparesSizes && this.#tested.hasPlateau;
    const comparison = COMPARISON.length * shortest(this.timesOf('half size', threads));
    return this.timeLeft - hold - (keepsForSizes ? comparison : 0);
  }

  /** Operations for steps, without those of the hold at the best rate so far, and on a plateau of comparing the sizes. */
  get operationsForSteps() {
    const { best, highest, hasPlateau } = this.#tested;
    const threads = highest?.threads ?? 0;
    const hold = operationsIn(best, threads, this.timesOf('hold', threads));
    // What cannot be held any more can still be shown to be higher.
    if (hold > this.operationsLeft && !this.#sharesOperations) {
      return this.operationsLeft;
    }
    const kept = hold + (hasPlateau ? this.#comparisonOperations(best, threads) : 0);
    return this.operationsLeft - (this.#sharesOperations ? Math.min(kept, this.#maxOperations / 2) : kept);
  }

  /**
   * @param {number} rate operations a second
   * @param {number} threads
   * @returns {number} operations for the hold: without those of the comparison, unless there are too few for both
   */
  operationsForHold(rate, threads) {
    const without = this.operationsLeft - this.#comparisonOperations(rate, threads);
    const needed = operationsIn(rate, threads, this.timesOf('hold', threads));
    return without >= needed ? without : this.operationsLeft;
  }

  /**
   * Where there are too few: so many are enough for another search. It is all that the store can take as far as it is
   * known, since the other search goes further than this one.
   *
   * @returns {{ operations: number, attempts: number } | null}
   */
  get needed() {
    const missed = super.needed;
    if (missed === null) {
      return null;
    }
    const { rate, threads } = this.#tested.mostExpected;
    const enough = operationsOfSearch(rate, threads);
    return {
      operations: Math.max(missed.operations, enough),
      attempts: Math.max(missed.attempts, Math.ceil(this.attemptsAnOperation.most * enough)),
    };
  }

  /**
   * Notes that there are too few operations for a rate to be held.
   *
   * @param {number} rate operations a second
   * @param {number} threads
   * @param {number} [before] operations that are needed before
   */
  recordShortageAt(rate, threads, before = 0) {
    this.recordShortage(before + this.#operationsAfter(rate, threads));
  }

  /**
   * @param {number} rate operations a second
   * @param {number} threads
   * @returns {number} operations of the hold, and of the comparison of the sizes
   */
  #operationsAfter(rate, threads) {
    return operationsIn(rate, threads, this.timesOf('hold', threads)) + this.#comparisonOperations(rate, threads);
  }

  /**
   * @param {number} rate operations a second, of whole objects
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
 * @param {number} rate operations a second
 * @param {number} threads
 * @param {StepTimes} times
 * @returns {number} operations that are begun in that time
 */
export function operationsIn(rate, threads, { settle, maxDuration }) {
  return Math.ceil((rate * (settle + maxDuration)) / 1000) + threads;
}
