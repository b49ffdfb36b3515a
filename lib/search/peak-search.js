import { ceilingOf } from './ceiling.js';
import { SearchBudget, operationsIn } from './search-budget.js';
import { HOLD_MS, SHORTEST_HOLD_MS, inWholeWindows, shortest } from './search-plan.js';
import { FEWEST_WINDOWS, WINDOW_MS, stepRate } from './step-rate.js';
import { TestedSteps } from './tested-steps.js';

/**
 * @import { Lack } from '../bottleneck/lack.js'
 * @import { Ceiling } from '../model/result.js'
 * @import { Phase, Step, StepResult, StepTimes } from './search-plan.js'
 */

/**
 * @typedef {object} SearchOptions
 * @property {number} mostThreads
 * @property {number} unloadedLatency ms of an operation at one thread
 * @property {number} [mostOperations] that there are objects for
 * @property {number} [mostAttempts] that there are dollars for
 * @property {boolean} [sharesOperations] whether there are only so many operations, and no more can be asked for: the hold
 *   then gets what is left, half of them or more
 * @property {'never' | 'on a plateau' | 'always'} [secondSize] whether objects of half the size are tried behind the hold
 */

/**
 * @typedef {object} SearchConclusion
 * @property {number | null} knee the fewest threads that did as much as any others; null where nothing was measured
 * @property {boolean} hasPlateau whether more threads brought no more; without, the ceiling is at least as high as found
 * @property {Ceiling | null} ceiling null where it could not be held
 * @property {number} best operations a second of the best step
 * @property {boolean} holdAgrees whether the hold did what the steps had shown
 * @property {{ operations: number, attempts: number } | null} needed where they did not suffice: so many, or more, would have
 * @property {Lack | null} lack what was too little to tell more
 * @property {{ whole: number, half: number, held: number | null } | null} secondSize operations a second of the plateau's
 *   most threads with objects of either size, and of the hold between them
 */

/** Windows that agree so well say enough while it climbs, and around the knee. */
const PRECISION = Object.freeze({ climb: 0.025, refine: 0.01, hold: 0, 'second size': 0 });

/**
 * Finds the number of threads from which on a store does no more, and what it does then. It decides what is tried and what
 * that means; it knows no clock and no store. First it climbs, in factors of four while the rate grows in proportion, else
 * of two, until more threads bring next to nothing; then it looks for the knee between the numbers it has tried; then it
 * holds the peak afresh, in a stretch of time that played no part in choosing it.
 */
export class PeakSearch {
  #secondSize;
  #shortestHold;
  #tested;
  #budget;
  /** The step under way. @type {Step | null} */
  #step = null;
  /** What has been done, or cannot be done. */
  #over = { steps: false, hold: false, secondSize: false };
  /** @type {Ceiling | null} */
  #ceiling = null;
  /** @type {number | null} */
  #halfSizeRate = null;

  /** @param {SearchOptions} options */
  constructor({ mostThreads, unloadedLatency, mostOperations = Infinity, mostAttempts = Infinity, ...options }) {
    const { sharesOperations = false, secondSize = 'never' } = options;
    this.#secondSize = secondSize;
    this.#shortestHold = sharesOperations ? SHORTEST_HOLD_MS : HOLD_MS;
    this.#tested = new TestedSteps({ mostThreads, unloadedLatency });
    this.#budget = new SearchBudget({
      tested: this.#tested,
      unloadedLatency,
      mostOperations,
      mostAttempts,
      sharesOperations,
      hasSecondSize: secondSize !== 'never',
    });
  }

  /** @returns {Step | null} null where the search is over */
  next() {
    this.#step = this.#nextTry() ?? this.#nextHold() ?? this.#nextSize();
    return this.#step;
  }

  /** @param {StepResult} result of the step that was planned last */
  take({ elapsed, consumed, attempts, windows, latency }) {
    const { phase, threads, most } = /** @type {Step} */ (this.#step);
    this.#budget.spend(elapsed, consumed, attempts);
    if (phase === 'hold') {
      this.#ceiling = ceilingOf(windows, threads);
      this.#tested.held = this.#ceiling?.operationsPerSecond ?? null;
      if (windows.length < most / WINDOW_MS) {
        this.#budget.lacksFor(this.#tested.expectedRate(threads), threads, -consumed);
      }
      return;
    }
    const rate = windows.length < FEWEST_WINDOWS || latency === null ? null : stepRate({ windows, threads, latency });
    if (phase === 'second size') {
      this.#halfSizeRate = rate?.rate ?? null;
    } else if (rate !== null) {
      this.#tested.add(phase, rate);
    } else {
      this.#over.steps = true;
      // What succeeded for a while and was ended early had too few operations left.
      if (latency !== null) {
        this.#budget.lacksFor(this.#tested.expectedRate(threads), threads);
      }
    }
  }

  /** @returns {SearchConclusion} */
  conclusion() {
    const { knee, hasPlateau, holdAgrees, lacksThreads, best, highest, held } = this.#tested;
    const half = this.#halfSizeRate;
    const secondSize = highest === undefined || half === null ? null : { whole: highest.rate, half, held };
    const { needed } = this.#budget;
    const lack = this.#budget.lack ?? (lacksThreads ? 'threads' : null);
    return { knee, hasPlateau, holdAgrees, best, ceiling: this.#ceiling, needed, lack, secondSize };
  }

  /** @returns {Step | null} a number of threads to be tried; null where the peak is known as well as it will be */
  #nextTry() {
    const wanted = this.#over.steps ? null : this.#tested.next();
    const step = wanted && this.#firstThatFits(wanted.phase, wanted.threads);
    this.#over.steps = step === null;
    return step;
  }

  /**
   * @param {'climb' | 'refine'} phase
   * @param {readonly number[]} candidates
   * @returns {Step | null}
   */
  #firstThatFits(phase, candidates) {
    const { timeForSteps } = this.#budget;
    const operations = Math.floor(this.#budget.operationsForSteps);
    /** @type {{ rate: number, threads: number, needed: number } | null} */
    let unaffordable = null;
    for (const threads of candidates) {
      const times = this.#budget.timesOf(phase, threads);
      if (shortest(times) > timeForSteps) {
        continue;
      }
      const rate = this.#tested.expectedRate(threads);
      const needed = operationsIn(rate, threads, times);
      if (needed <= operations) {
        const most = Math.min(times.most, inWholeWindows(timeForSteps - times.settle - times.grace));
        return this.#planned(phase, threads, operations, { ...times, most });
      }
      unaffordable = { rate, threads, needed };
    }
    // The last one would have needed the least.
    if (unaffordable === null) {
      this.#budget.lack ??= 'time';
    } else {
      this.#budget.lacksFor(unaffordable.rate, unaffordable.threads, unaffordable.needed);
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
    const most = Math.min(HOLD_MS, inWholeWindows((1000 * (operations - threads)) / rate - times.settle));
    if (most < HOLD_MS) {
      this.#budget.lacksFor(rate, threads);
    }
    return most >= this.#shortestHold
      ? this.#planned('hold', threads, operations, { ...times, least: most, most })
      : null;
  }

  /** @returns {Step | null} */
  #nextSize() {
    const { highest, hasPlateau } = this.#tested;
    const isWanted =
      this.#secondSize === 'always' || (this.#secondSize === 'on a plateau' && hasPlateau && this.#ceiling !== null);
    if (!isWanted || this.#over.secondSize || highest === undefined) {
      return null;
    }
    this.#over.secondSize = true;
    const { threads, rate } = highest;
    const times = this.#budget.timesOf('second size', threads);
    const operations = Math.floor(this.#budget.operationsLeft);
    const fits = shortest(times) <= this.#budget.timeLeft && operationsIn(rate, threads, times) <= operations;
    return fits ? this.#planned('second size', threads, operations, times) : null;
  }

  /**
   * @param {Phase} phase
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
