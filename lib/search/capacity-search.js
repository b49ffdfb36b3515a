import { OperationBudget, operationsIn } from './operation-budget.js';
import { COMPARISON, HOLD_MS, MIN_HOLD_MS, inWholeWindows, shortest } from './search-plan.js';
import { MIN_WINDOWS, WINDOW_MS, stepRate } from './step-rate.js';
import { TestedSteps } from './tested-steps.js';
import { capacityOf } from './batch-means.js';

/**
 * @import { Capacity } from '../model/result.js'
 * @import { SearchConclusion, SearchPhase } from '../model/search.js'
 * @import { SizePhase, Step, StepResult, StepTimes } from './search-plan.js'
 */

/**
 * @typedef {object} SearchOptions
 * @property {number} maxThreads
 * @property {number} unloadedLatency ms of an operation with one thread
 * @property {number} [maxOperations] that objects allow
 * @property {number} [maxAttempts] that dollars allow
 * @property {boolean} [sharesOperations] whether the user cannot provide more operations; the hold then gets what is
 *   left, but at least half of all operations
 * @property {'never' | 'on a plateau' | 'always'} [halfSize] whether to try half-size objects after the hold: on a
 *   plateau, alternating with whole-size ones; without a plateau, just once, for later stages that need them
 */

/** A step may end early at this standard error of its windows, as a share of their mean; 0 if its length is fixed. */
const PRECISION = Object.freeze({ ramp: 0.025, refine: 0.01, hold: 0, 'whole size': 0, 'half size': 0 });

/**
 * Finds the number of threads above which a store's rate no longer grows, and the rate there. It decides what to try
 * and what the results mean, but has no access to a clock or a store. The ramp multiplies the threads by four while the
 * rate grows in proportion, and otherwise by two, until more threads gain almost nothing. Next, the search tries
 * numbers in between to locate the knee. It then holds the chosen number of threads for a new period, which played no
 * part in the choice. Finally, it compares whole-size and half-size objects in alternating steps.
 */
export class CapacitySearch {
  #halfSize;
  #minHold;
  #tested;
  #budget;
  /** The current step. @type {Step | null} */
  #step = null;
  /** Phases that are finished or impossible. */
  #over = { steps: false, hold: false };
  /** Remaining steps of the comparison of sizes; null before the first. @type {SizePhase[] | null} */
  #sizesToTry = null;
  /** Operations per second of the finished steps of the comparison of sizes. @type {Record<SizePhase, number[]>} */
  #sizes = { 'whole size': [], 'half size': [] };
  /** @type {Capacity | null} */
  #capacity = null;

  /** @param {SearchOptions} options */
  constructor({ maxThreads, unloadedLatency, maxOperations = Infinity, maxAttempts = Infinity, ...options }) {
    const { sharesOperations = false, halfSize = 'never' } = options;
    this.#halfSize = halfSize;
    this.#minHold = sharesOperations ? MIN_HOLD_MS : HOLD_MS;
    this.#tested = new TestedSteps({ maxThreads, unloadedLatency });
    this.#budget = new OperationBudget({
      tested: this.#tested,
      unloadedLatency,
      maxOperations,
      maxAttempts,
      sharesOperations,
      comparesSizes: halfSize !== 'never',
    });
  }

  /** @returns {Step | null} null if the search is over */
  next() {
    this.#step = this.#nextTry() ?? this.#nextHold() ?? this.#nextSize();
    return this.#step;
  }

  /** @param {StepResult} result of the step planned last */
  take({ elapsed, consumed, attempts, throttled, windows, latency }) {
    const { phase, threads, maxDuration } = /** @type {Step} */ (this.#step);
    this.#budget.spend(elapsed, consumed, attempts);
    if (phase === 'hold') {
      const isLong = windows.length * WINDOW_MS >= MIN_HOLD_MS;
      this.#capacity = isLong ? capacityOf(windows, WINDOW_MS / 1000, threads) : null;
      this.#tested.held = this.#capacity?.operationsPerSecond ?? null;
      if (windows.length < maxDuration / WINDOW_MS) {
        this.#budget.recordShortage();
      }
      return;
    }
    const rate = windows.length < MIN_WINDOWS || latency === null ? null : stepRate({ windows, threads, latency });
    if (rate === null) {
      this.#over.steps = true;
      this.#sizesToTry &&= [];
      // If operations succeeded but the step ended early, it had too few operations.
      if (latency !== null) {
        this.#budget.recordShortage();
      }
    } else if (isOfSizes(phase)) {
      this.#sizes[phase].push(rate.rate);
    } else {
      this.#tested.add(phase, { ...rate, refused: throttled / attempts });
    }
  }

  /** @returns {SearchConclusion} */
  conclusion() {
    const { knee, hasPlateau, holdAgrees, needsMoreThreads, best } = this.#tested;
    const { needed } = this.#budget;
    const limitingResource = this.#budget.limitingResource ?? (needsMoreThreads ? 'threads' : null);
    const halfSize = this.#comparedSizes();
    return {
      knee: hasPlateau ? knee : null,
      hasPlateau,
      holdAgrees,
      best,
      capacity: this.#capacity,
      needed,
      limitingResource,
      halfSize,
    };
  }

  /** @returns {Step | null} with the next number of threads to try; null if no further step can help */
  #nextTry() {
    const wanted = this.#over.steps ? null : this.#tested.next();
    const step = wanted && this.#firstThatFits(wanted.phase, wanted.threads);
    this.#over.steps = step === null;
    return step;
  }

  /**
   * @param {'ramp' | 'refine'} phase
   * @param {readonly number[]} candidates
   * @returns {Step | null}
   */
  #firstThatFits(phase, candidates) {
    const { timeForSteps } = this.#budget;
    const operations = Math.floor(this.#budget.operationsForSteps);
    let isShort = false;
    for (const threads of candidates) {
      const times = this.#budget.timesOf(phase, threads);
      if (shortest(times) > timeForSteps) {
        continue;
      }
      if (operationsIn(this.#tested.expectedRate(threads), threads, times) <= operations) {
        const maxDuration = Math.min(times.maxDuration, inWholeWindows(timeForSteps - times.settle - times.grace));
        return this.#planned(phase, threads, operations, { ...times, maxDuration });
      }
      isShort = true;
    }
    if (isShort) {
      this.#budget.recordShortage();
    } else {
      this.#budget.limitingResource ??= 'time';
    }
    return null;
  }

  /** @returns {Step | null} */
  #nextHold() {
    if (this.#over.hold || this.#tested.best === 0) {
      return null;
    }
    this.#over.hold = true;
    const threads = this.#tested.threadsToHold;
    const rate = this.#tested.expectedRate(threads);
    const times = this.#budget.timesOf('hold', threads);
    const operations = Math.floor(this.#budget.operationsForHold(rate, threads));
    const maxDuration = Math.min(HOLD_MS, inWholeWindows((1000 * (operations - threads)) / rate - times.settle));
    if (maxDuration < HOLD_MS) {
      this.#budget.recordShortage();
    }
    return maxDuration >= this.#minHold
      ? this.#planned('hold', threads, operations, { ...times, minDuration: maxDuration, maxDuration })
      : null;
  }

  /** @returns {Step | null} */
  #nextSize() {
    this.#sizesToTry ??= this.#planSizes();
    const phase = this.#sizesToTry.shift();
    const { highest } = this.#tested;
    if (phase === undefined || highest === undefined) {
      return null;
    }
    const { threads, rate } = highest;
    const times = this.#budget.timesOf(phase, threads);
    const forOthers = this.#sizesToTry.length * operationsIn(rate, threads, times);
    return this.#planned(phase, threads, Math.floor(this.#budget.operationsLeft - forOthers), times);
  }

  /** @returns {SearchConclusion['halfSize']} null if the comparison of sizes was not finished */
  #comparedSizes() {
    const { 'whole size': whole, 'half size': half } = this.#sizes;
    const { held } = this.#tested;
    return whole.length < 2 || half.length < 2 || held === null
      ? null
      : { whole: [whole[0], whole[1]], half: [half[0], half[1]], held };
  }

  /** @returns {SizePhase[]} the steps of the comparison, or one at half size, as far as time and operations suffice */
  #planSizes() {
    const { highest, hasPlateau } = this.#tested;
    if (this.#halfSize === 'never' || highest === undefined) {
      return [];
    }
    const { threads, rate } = highest;
    const times = this.#budget.timesOf('half size', threads);
    const isTimeFor = (/** @type {readonly SizePhase[]} */ { length }) =>
      length * shortest(times) <= this.#budget.timeLeft;
    const areOperationsFor = (/** @type {readonly SizePhase[]} */ { length }) =>
      length * operationsIn(rate, threads, times) <= Math.floor(this.#budget.operationsLeft);
    if (hasPlateau && this.#capacity !== null) {
      if (isTimeFor(COMPARISON) && areOperationsFor(COMPARISON)) {
        return [...COMPARISON];
      }
      if (isTimeFor(COMPARISON)) {
        this.#budget.recordShortage();
      } else {
        this.#budget.limitingResource ??= 'time';
      }
    }
    const once = /** @type {const} */ (['half size']);
    return this.#halfSize === 'always' && isTimeFor(once) && areOperationsFor(once) ? [...once] : [];
  }

  /**
   * @param {SearchPhase} phase
   * @param {number} threads
   * @param {number} operations
   * @param {StepTimes} times
   * @returns {Step}
   */
  #planned(phase, threads, operations, times) {
    const attempts = this.#budget.attemptsFor(operations);
    return { phase, threads, operations, attempts, precision: PRECISION[phase], ...times };
  }
}

/**
 * @param {SearchPhase} phase
 * @returns {phase is SizePhase}
 */
function isOfSizes(phase) {
  return phase === 'whole size' || phase === 'half size';
}
