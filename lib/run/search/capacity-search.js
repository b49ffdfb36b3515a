import { capacityOf } from '../../measure/statistics/batch-means.js';
import * as plateau from '../../measure/statistics/plateau.js';
import { MIN_WINDOWS, StepBudget, WINDOW_MS, inWholeWindows, stepRate } from './search-step.js';

/**
 * @import { Capacity } from '../../result/result.js'
 * @import { SearchConclusion, SearchPhase } from '../../result/search.js'
 * @import { TestedStep } from '../../measure/statistics/plateau.js'
 * @import { Step, StepResult, StepTimes } from './search-step.js'
 */

/**
 * @typedef {object} SearchOptions
 * @property {number} maxThreads
 * @property {number} unloadedLatency ms of an operation with one thread
 * @property {number} [maxOperations] that objects allow
 * @property {number} [maxAttempts] that dollars allow
 * @property {boolean} [sharesOperations] whether the user cannot provide more operations; the hold then gets what is
 *   left, but at least half of all operations
 * @property {boolean} [halfSize] whether to compare half-size objects with whole-size ones on a plateau, after the hold
 */

/** Time limit for the search of a stage, in ms. */
export const STAGE_MS = 30_000;

/** Minimum length of a hold in ms: a shorter one gives no confidence interval. */
const MIN_HOLD_MS = 2000;

/** Duration in ms of each step that compares the sizes. */
const SIZE_MS = 1000;

const MIN_STEP_MS = 1000;
const MAX_STEP_MS = 2500;

/** Maximum duration of a ramp step in ms, short because a ramp needs only the order of magnitude. */
const MAX_RAMP_MS = 1500;

const SETTLING_MS = Object.freeze({ least: 250, most: 2000 });
const GRACE_MS = Object.freeze({ least: 500, most: 3000 });

/** Multiples of the unloaded latency for which a step settles, and for which it is then measured. */
const SETTLING_ROUNDS = 2;
const MEASURED_ROUNDS = 4;

/**
 * Operations that a search needs per op/s of the store: for a stage at the full rate, for half-size objects at a little
 * more than twice that rate, and 10% extra, because each step is planned with a margin.
 */
export const SECONDS_OF_OPERATIONS = 40;

/** At most this many steps end with an operation in flight on each thread. */
const STEPS_AT_PEAK = 10;

/** A step may end early at this standard error of its windows, as a share of their mean; 0 if its length is fixed. */
const PRECISION = Object.freeze({ ramp: 0.025, refine: 0.01, hold: 0, 'whole size': 0, 'half size': 0 });

/** The steps that compare the sizes. A drift over time shows as a difference between two steps of one size. */
const COMPARISON = /** @type {readonly SearchPhase[]} */ (['whole size', 'half size', 'whole size', 'half size']);

/** Half-size objects might be a little more than twice as fast. */
const HALF_SIZE_GAIN = 2.2;

/** More steps around the knee add nothing useful. */
const MAX_REFINEMENTS = 4;

/** Safety margin for expected rates. */
const MARGIN = 1.1;

/**
 * Finds the number of threads above which a store's rate no longer grows, and the rate there. The ramp multiplies the
 * threads by four while the rate grows in proportion, and otherwise by two, until more threads gain almost nothing.
 * Next, the search tries numbers in between to locate the knee. It then holds the chosen number of threads for a new
 * period, which played no part in the choice. Finally, it compares whole-size and half-size objects in alternating
 * steps.
 */
export class CapacitySearch {
  #options;
  #budget;
  /** With increasing threads. @type {TestedStep[]} */
  #ramp = [];
  /** @type {TestedStep[]} */
  #refinements = [];
  /** Threads of the ramp step that was repeated last. */
  #repeated = 0;
  /** @type {Capacity | null} */
  #capacity = null;
  #steps = this.#search();

  /** @param {SearchOptions} options */
  constructor({ maxOperations = Infinity, sharesOperations = false, halfSize = false, ...options }) {
    this.#options = { maxOperations, sharesOperations, halfSize, ...options };
    this.#budget = new StepBudget({ time: STAGE_MS, ...this.#options });
  }

  /**
   * @param {StepResult | null} done result of the step planned last; null for the first step
   * @returns {Step | null} null if the search is over
   */
  next(done) {
    return this.#steps.next(/** @type {StepResult} */ (done)).value ?? null;
  }

  /** @returns {SearchConclusion} */
  conclusion() {
    const { best, knee, needsMoreThreads } = this.#shape;
    const held = this.#capacity?.operationsPerSecond ?? null;
    const { rate, threads } = this.#mostExpected;
    return {
      knee: this.#hasPlateau ? knee : null,
      hasPlateau: this.#hasPlateau,
      holdAgrees: held === null || plateau.agrees(held, best),
      best,
      capacity: this.#capacity,
      operationsNeeded: this.#budget.neededIf(operationsOfSearch(rate, threads)),
      limitingResource: this.#budget.limitingResource ?? (needsMoreThreads ? 'threads' : null),
    };
  }

  /** @returns {Generator<Step, void, StepResult>} */
  *#search() {
    for (let step = this.#nextTry(); step !== null; step = this.#nextTry()) {
      const tested = this.#tested(step, yield step);
      if (tested === null) {
        break;
      }
      this.#add(step.phase, tested);
    }
    yield* this.#hold();
    const { highest } = this.#shape;
    if (highest === undefined || !this.#canCompareSizes(highest)) {
      return;
    }
    const { threads, rate } = highest;
    for (const [index, phase] of COMPARISON.entries()) {
      const times = this.#timesOf(phase, threads);
      const forOthers = (COMPARISON.length - index - 1) * operationsIn(rate, threads, times);
      const step = this.#planned(phase, threads, Math.floor(this.#budget.operationsLeft - forOthers), times);
      if (this.#tested(step, yield step) === null) {
        return;
      }
    }
  }

  /** @returns {Generator<Step, void, StepResult>} */
  *#hold() {
    const steps = this.#shape.all;
    if (this.#shape.best === 0) {
      return;
    }
    const threads = plateau.threadsToHold(steps);
    const rate = this.#expectedRate(threads);
    const times = this.#timesOf('hold', threads);
    // All operations that are left, minus those for the comparison of sizes if both fit.
    const without = this.#budget.operationsLeft - this.#comparisonOperations(rate, threads);
    const isEnough = without >= operationsIn(rate, threads, times);
    const operations = Math.floor(isEnough ? without : this.#budget.operationsLeft);
    const maxDuration = Math.min(
      plateau.HOLD_MS,
      inWholeWindows((1000 * (operations - threads)) / rate - times.settle),
    );
    if (maxDuration < plateau.HOLD_MS) {
      this.#budget.recordShortage();
    }
    if (maxDuration < (this.#options.sharesOperations ? MIN_HOLD_MS : plateau.HOLD_MS)) {
      return;
    }
    const result = yield this.#planned('hold', threads, operations, {
      ...times,
      minDuration: maxDuration,
      maxDuration,
    });
    this.#budget.spend(result);
    const { windows } = result;
    if (windows.length * WINDOW_MS >= MIN_HOLD_MS) {
      this.#capacity = capacityOf(windows, WINDOW_MS / 1000, threads);
    }
    if (windows.length < maxDuration / WINDOW_MS) {
      this.#budget.recordShortage();
    }
  }

  /**
   * @param {Step} step
   * @param {StepResult} result
   * @returns {TestedStep | null} null if it shows no rate
   */
  #tested({ threads }, result) {
    const { windows, latency, throttled, attempts } = result;
    this.#budget.spend(result);
    if (windows.length >= MIN_WINDOWS && latency !== null) {
      return { ...stepRate({ windows, threads, latency }), refused: throttled / attempts };
    }
    // If operations succeeded but the step ended early, it had too few operations.
    if (latency !== null) {
      this.#budget.recordShortage();
    }
    return null;
  }

  /**
   * @param {SearchPhase} phase
   * @param {TestedStep} step
   */
  #add(phase, step) {
    const last = this.#ramp.at(-1);
    if (phase === 'ramp' && last?.threads === step.threads) {
      this.#repeated = step.threads;
      this.#ramp[this.#ramp.length - 1] = step.rate > last.rate ? step : last;
    } else {
      (phase === 'ramp' ? this.#ramp : this.#refinements).push(step);
    }
  }

  get #shape() {
    return plateau.shapeOf(this.#ramp, this.#refinements, this.#repeated, this.#options.maxThreads);
  }

  get #hasPlateau() {
    const { showsPlateau, best } = this.#shape;
    return showsPlateau && (this.#capacity === null || plateau.agrees(this.#capacity.operationsPerSecond, best));
  }

  /** @returns {Step | null} null if no further step can help */
  #nextTry() {
    const { maxThreads, unloadedLatency } = this.#options;
    const { all, highest, hasFallen, hasLevelled, showsPlateau } = this.#shape;
    const most = highest?.threads ?? 0;
    if (hasFallen) {
      return this.#firstThatFits('ramp', [most]);
    }
    if (most < maxThreads && !showsPlateau) {
      // Begin with at most half the maximum: a single number of threads leaves nothing to compare.
      const limit = most === 0 ? Math.ceil(maxThreads / 2) : maxThreads;
      const wanted = [plateau.nextOfRamp(this.#ramp, unloadedLatency), Math.max(2 * most, 1)];
      const candidates = wanted.map((threads) => Math.min(threads, limit));
      return this.#firstThatFits('ramp', candidates);
    }
    if (this.#refinements.length === MAX_REFINEMENTS) {
      return null;
    }
    // A plateau that the allowed threads cannot confirm might have a lower knee.
    const between = hasLevelled
      ? plateau.nextOfRefinement(all, plateau.kneeOf(all))
      : this.#refinements.length === 0
        ? plateau.belowMaximum(this.#ramp, unloadedLatency)
        : null;
    return between === null ? null : this.#firstThatFits('refine', [between]);
  }

  /**
   * @param {'ramp' | 'refine'} phase
   * @param {readonly number[]} candidates numbers of threads: the preferred one, then a fallback
   * @returns {Step | null}
   */
  #firstThatFits(phase, candidates) {
    const time = this.#timeForSteps;
    const operations = Math.floor(this.#operationsForSteps);
    const inTime = candidates.filter((threads) => shortest(this.#timesOf(phase, threads)) <= time);
    for (const threads of inTime) {
      const times = this.#timesOf(phase, threads);
      if (operationsIn(this.#expectedRate(threads), threads, times) <= operations) {
        const maxDuration = Math.min(times.maxDuration, inWholeWindows(time - times.settle - times.grace));
        return this.#planned(phase, threads, operations, { ...times, maxDuration });
      }
    }
    if (inTime.length > 0) {
      this.#budget.recordShortage();
    } else {
      this.#budget.limitingResource ??= 'time';
    }
    return null;
  }

  /** Whether there is a plateau, and time and operations suffice. @param {TestedStep} highest */
  #canCompareSizes({ threads, rate }) {
    const times = this.#timesOf('half size', threads);
    if (!this.#options.halfSize || !this.#hasPlateau || this.#capacity === null) {
      return false;
    }
    if (COMPARISON.length * shortest(times) > this.#budget.timeLeft) {
      this.#budget.limitingResource ??= 'time';
      return false;
    }
    const areEnough = COMPARISON.length * operationsIn(rate, threads, times) <= Math.floor(this.#budget.operationsLeft);
    if (!areEnough) {
      this.#budget.recordShortage();
    }
    return areEnough;
  }

  /**
   * @param {SearchPhase} phase
   * @param {number} threads
   * @param {number} operations
   * @param {StepTimes} times
   * @returns {Step}
   */
  #planned(phase, threads, operations, times) {
    return { phase, threads, operations, precision: PRECISION[phase], ...times };
  }

  /** ms left for steps, minus the time for the hold and, on a plateau, the comparison of sizes. */
  get #timeForSteps() {
    const threads = this.#ramp.at(-1)?.threads ?? 1;
    const hold = shortest(this.#timesOf('hold', threads));
    // Without a plateau there is nothing to compare; if time is short, the ramp is more useful.
    const keepsForSizes = this.#options.halfSize && this.#hasPlateau;
    const comparison = COMPARISON.length * shortest(this.#timesOf('half size', threads));
    return this.#budget.timeLeft - hold - (keepsForSizes ? comparison : 0);
  }

  /** Operations left for steps, minus those for a hold at the best rate and, on a plateau, the comparison of sizes. */
  get #operationsForSteps() {
    const { maxOperations, sharesOperations } = this.#options;
    const { operationsLeft } = this.#budget;
    const { best, highest } = this.#shape;
    const threads = highest?.threads ?? 0;
    const hold = operationsIn(best, threads, this.#timesOf('hold', threads));
    // If too few operations are left for the hold, more steps can still show that the rate is higher.
    if (hold > operationsLeft && !sharesOperations) {
      return operationsLeft;
    }
    const kept = hold + (this.#hasPlateau ? this.#comparisonOperations(best, threads) : 0);
    return operationsLeft - (sharesOperations ? Math.min(kept, maxOperations / 2) : kept);
  }

  /**
   * @param {number} rate whole-size objects per second
   * @param {number} threads
   */
  #comparisonOperations(rate, threads) {
    const times = this.#timesOf('half size', threads);
    const rates = !this.#options.halfSize ? [] : [rate, HALF_SIZE_GAIN * rate, rate, HALF_SIZE_GAIN * rate];
    return rates.reduce((sum, each) => sum + operationsIn(each, threads, times), 0);
  }

  /**
   * Maximum operations per second that the store might reach, and the threads for it. What suffices for it suffices for
   * another search, which would go further than this one.
   */
  get #mostExpected() {
    const { maxThreads } = this.#options;
    const { showsPlateau, highest, best } = this.#shape;
    return showsPlateau && highest !== undefined
      ? { rate: Math.max(best, this.#capacity?.operationsPerSecond ?? 0), threads: highest.threads }
      : { rate: this.#mostWith(maxThreads), threads: maxThreads };
  }

  /** Operations per second to plan for. @param {number} threads */
  #expectedRate(threads) {
    return MARGIN * this.#mostWith(threads);
  }

  /** Maximum expected operations per second. @param {number} threads */
  #mostWith(threads) {
    const { all, best } = this.#shape;
    const rates = all.map((step) => Math.max(step.rate * (threads / step.threads), best));
    const seen = all.filter((step) => step.threads <= threads).map(({ rate }) => rate);
    // The latency with one thread might be an assumption, or might have improved: measured rates take precedence.
    return Math.max(Math.min((1000 * threads) / this.#options.unloadedLatency, ...rates), ...seen);
  }

  /**
   * @param {SearchPhase} phase
   * @param {number} threads
   * @returns {StepTimes}
   */
  #timesOf(phase, threads) {
    const { unloadedLatency } = this.#options;
    const { best } = this.#shape;
    const latency = best === 0 ? unloadedLatency : Math.max(unloadedLatency, (1000 * threads) / best);
    const settle = upToWindows(within(SETTLING_MS, SETTLING_ROUNDS * unloadedLatency));
    const grace = within(GRACE_MS, 1.5 * latency + WINDOW_MS);
    if (phase === 'hold') {
      const settled = Math.max(settle, 2 * WINDOW_MS);
      // Operations may have become slower since time was reserved: limit the grace to the time that is left.
      const left = Math.max(0, this.#budget.timeLeft - settled - plateau.HOLD_MS);
      return {
        settle: settled,
        minDuration: plateau.HOLD_MS,
        maxDuration: plateau.HOLD_MS,
        grace: Math.min(grace, left),
      };
    }
    if (phase === 'whole size' || phase === 'half size') {
      return { settle, minDuration: SIZE_MS, maxDuration: SIZE_MS, grace };
    }
    const measured = { least: MIN_STEP_MS, most: MAX_STEP_MS };
    const minDuration = upToWindows(within(measured, MEASURED_ROUNDS * unloadedLatency));
    const maxDuration = Math.max(minDuration, phase === 'ramp' ? MAX_RAMP_MS : MAX_STEP_MS);
    return { settle, minDuration, maxDuration, grace };
  }
}

/**
 * @param {number} rate maximum operations per second of the store
 * @param {number} threads maximum
 * @returns {number} operations that suffice for a search, whatever it finds
 */
export function operationsOfSearch(rate, threads) {
  return Math.ceil(SECONDS_OF_OPERATIONS * rate) + STEPS_AT_PEAK * threads;
}

/**
 * @param {number} rate per second
 * @param {number} threads
 * @param {StepTimes} times
 * @returns {number} operations that start in that time
 */
function operationsIn(rate, threads, { settle, maxDuration }) {
  return Math.ceil((rate * (settle + maxDuration)) / 1000) + threads;
}

/** Duration of a step in ms if it is steady from the beginning. @param {StepTimes} times */
function shortest({ settle, minDuration, grace }) {
  return settle + minDuration + grace;
}

/**
 * @param {{ least: number, most: number }} bounds
 * @param {number} value
 */
function within({ least, most }, value) {
  return Math.min(Math.max(value, least), most);
}

/** @param {number} duration ms */
function upToWindows(duration) {
  return Math.ceil(duration / WINDOW_MS) * WINDOW_MS;
}
