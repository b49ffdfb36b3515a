import {
  belowMaximum,
  hasLevelled,
  isConfirmed,
  kneeOf,
  nextOfRamp,
  nextOfRefinement,
  threadsToHold,
} from './plateau.js';

/** @import { TestedStep } from './plateau.js' */

/** More steps around the knee add nothing useful. */
const MAX_REFINEMENTS = 4;

/** A hold that exceeds the best step by more than this factor does not agree with it. */
const MAX_HOLD_RATIO = 1.1;

/** A step below this share of the best earlier one proves nothing until it is repeated. */
const COLLAPSE = 0.9;

/** A hold below this share of the best step does not confirm it. */
const MIN_HOLD_RATIO = 0.9;

/** Safety margin for expected rates. */
const MARGIN = 1.1;

/**
 * Whether a hold agrees with the best step of its search, so that each confirms the other.
 *
 * @param {number} held ops/s
 * @param {number} best ops/s
 */
export function agrees(held, best) {
  return held <= MAX_HOLD_RATIO * best && held >= MIN_HOLD_RATIO * best;
}

/** The results of a search so far: the tested numbers of threads, and the next one to test. */
export class TestedSteps {
  #maxThreads;
  #unloadedLatency;
  /** With increasing threads. @type {TestedStep[]} */
  #ramp = [];
  /** @type {TestedStep[]} */
  #refinements = [];
  /** Threads of the ramp step that was repeated last. */
  #repeated = 0;
  /** Operations per second of the hold. @type {number | null} */
  held = null;

  /**
   * @param {{ maxThreads: number, unloadedLatency: number }} options `unloadedLatency`: ms with one thread
   */
  constructor({ maxThreads, unloadedLatency }) {
    this.#maxThreads = maxThreads;
    this.#unloadedLatency = unloadedLatency;
  }

  /**
   * @param {'ramp' | 'refine'} phase
   * @param {TestedStep} step
   */
  add(phase, step) {
    const last = this.highest;
    if (phase === 'ramp' && last?.threads === step.threads) {
      this.#repeated = step.threads;
      this.#ramp[this.#ramp.length - 1] = step.rate > last.rate ? step : last;
      return;
    }
    (phase === 'ramp' ? this.#ramp : this.#refinements).push(step);
  }

  get isEmpty() {
    return this.#ramp.length === 0;
  }

  /** The step with the most threads. @returns {TestedStep | undefined} */
  get highest() {
    return this.#ramp.at(-1);
  }

  /** Whether the last step was slower than the previous one (perhaps a hiccup of the store) and was not repeated. */
  get #hasFallen() {
    const [before, last] = this.#ramp.slice(-2);
    return last !== undefined && last.rate < before.rate && last.threads !== this.#repeated;
  }

  /** Whether the last step fell so far below the best one that it proves nothing until it is repeated. */
  get #isUnconfirmed() {
    const best = Math.max(0, ...this.#ramp.map(({ rate }) => rate));
    return this.#hasFallen && /** @type {TestedStep} */ (this.highest).rate < COLLAPSE * best;
  }

  get #hasLevelled() {
    return (hasLevelled(this.#ramp) || this.#hasLevelledBelowTheMost) && !this.#isUnconfirmed;
  }

  /** Whether a lower number of threads, which the ramp skipped, reaches the maximum's rate. */
  get #hasLevelledBelowTheMost() {
    const { highest, knee } = this;
    return highest?.threads === this.#maxThreads && isConfirmed(Number(knee), highest.threads, this.#maxThreads);
  }

  /** Operations per second of the best step; 0 before the first step. */
  get best() {
    return Math.max(0, ...this.#all().map(({ rate }) => rate));
  }

  /** @returns {number | null} threads */
  get knee() {
    return this.isEmpty ? null : kneeOf(this.#all());
  }

  /** Whether enough threads above the knee were tested, and they did not raise the rate. */
  get #stepsShowPlateau() {
    const { highest, knee } = this;
    return (
      highest !== undefined &&
      knee !== null &&
      this.#hasLevelled &&
      isConfirmed(knee, highest.threads, this.#maxThreads)
    );
  }

  /** Whether the hold agrees with the steps. If not, something disturbed the steps or the hold. */
  get holdAgrees() {
    return this.held === null || agrees(this.held, this.best);
  }

  get hasPlateau() {
    return this.#stepsShowPlateau && this.holdAgrees;
  }

  /** Whether it would take more threads than allowed to show a plateau. */
  get needsMoreThreads() {
    return this.highest?.threads === this.#maxThreads && !this.#stepsShowPlateau && !this.#isUnconfirmed;
  }

  get threadsToHold() {
    return threadsToHold(this.#all());
  }

  /**
   * @returns {{ phase: 'ramp' | 'refine', threads: number[] } | null} numbers of threads to try: the preferred one,
   *   then a fallback
   */
  next() {
    const highest = this.highest?.threads ?? 0;
    if (this.#hasFallen) {
      return { phase: 'ramp', threads: [highest] };
    }
    if (highest < this.#maxThreads && !this.hasPlateau) {
      // Begin with at most half the maximum: a single number of threads leaves nothing to compare.
      const limit = this.isEmpty ? Math.ceil(this.#maxThreads / 2) : this.#maxThreads;
      const threads = [nextOfRamp(this.#ramp, this.#unloadedLatency), Math.max(2 * highest, 1)];
      return { phase: 'ramp', threads: threads.map((each) => Math.min(each, limit)) };
    }
    const threads = this.#refinements.length < MAX_REFINEMENTS ? this.#nextOfRefinement() : null;
    return threads === null ? null : { phase: 'refine', threads: [threads] };
  }

  /** @returns {number | null} threads */
  #nextOfRefinement() {
    if (this.#hasLevelled) {
      // A plateau that the allowed threads cannot confirm might have a lower knee.
      return nextOfRefinement(this.#all(), kneeOf(this.#all()));
    }
    return this.#refinements.length === 0 ? belowMaximum(this.#ramp, this.#unloadedLatency) : null;
  }

  /**
   * @returns {{ rate: number, threads: number }} maximum operations per second that the store might reach, and the
   *   threads for it
   */
  get mostExpected() {
    const { highest, best, held } = this;
    return this.#stepsShowPlateau && highest !== undefined
      ? { rate: Math.max(best, held ?? 0), threads: highest.threads }
      : { rate: this.#mostWith(this.#maxThreads), threads: this.#maxThreads };
  }

  /** Operations per second to plan for. @param {number} threads */
  expectedRate(threads) {
    return MARGIN * this.#mostWith(threads);
  }

  /** Maximum expected operations per second. @param {number} threads */
  #mostWith(threads) {
    const steps = this.#all();
    const rates = steps.map((step) => Math.max(step.rate * (threads / step.threads), this.best));
    const seen = steps.filter((step) => step.threads <= threads).map(({ rate }) => rate);
    // The latency with one thread might be an assumption, or might have improved: measured rates take precedence.
    return Math.max(Math.min((1000 * threads) / this.#unloadedLatency, ...rates), ...seen);
  }

  /** Latency of an operation in ms if the store's rate does not increase. @param {number} threads */
  expectedLatency(threads) {
    return this.isEmpty ? this.#unloadedLatency : Math.max(this.#unloadedLatency, (1000 * threads) / this.best);
  }

  #all() {
    return [...this.#ramp, ...this.#refinements];
  }
}
