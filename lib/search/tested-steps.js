import {
  belowTheMost,
  hasLevelled,
  isConfirmed,
  kneeOf,
  nextOfRamp,
  nextOfRefinement,
  threadsToHold,
} from './plateau.js';

/** @import { StepRate } from './step-rate.js' */

/** More steps around the knee than this add nothing that a user could use. */
const MAX_REFINEMENTS = 4;

/** How much more than the best step the hold may do. */
const SURPRISE = 1.1;

/** A step that does less than this share of the best one before shows nothing until it was tried again. */
const COLLAPSE = 0.9;

/** What is held at less than this share of the best step does not confirm it. */
const DISAPPOINTMENT = 0.9;

/** A rate that is expected may be a little off. */
const MARGIN = 1.1;

/** What a search has found so far: which numbers of threads were tested, and which one follows. */
export class TestedSteps {
  #maxThreads;
  #unloadedLatency;
  /** With ever more threads. @type {StepRate[]} */
  #ramp = [];
  /** @type {StepRate[]} */
  #refinements = [];
  /** Threads of the step of the ramp that was tried twice last. */
  #repeated = 0;
  /** Operations a second of the hold, once there was one. @type {number | null} */
  held = null;

  /**
   * @param {object} options
   * @param {number} options.maxThreads
   * @param {number} options.unloadedLatency ms of an operation at one thread
   */
  constructor({ maxThreads, unloadedLatency }) {
    this.#maxThreads = maxThreads;
    this.#unloadedLatency = unloadedLatency;
  }

  /**
   * @param {'ramp' | 'refine'} phase
   * @param {StepRate} step
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

  /** The step with the most threads. @returns {StepRate | undefined} */
  get highest() {
    return this.#ramp.at(-1);
  }

  /** Whether more threads did less than fewer, which may have been a hiccup of the store and was not tried again. */
  get #hasFallen() {
    const [before, last] = this.#ramp.slice(-2);
    return last !== undefined && last.rate < before.rate && last.threads !== this.#repeated;
  }

  /** Whether they did so much less that it shows nothing, should there be too little left to try again. */
  get #isUnconfirmed() {
    const best = Math.max(0, ...this.#ramp.map(({ rate }) => rate));
    return this.#hasFallen && /** @type {StepRate} */ (this.highest).rate < COLLAPSE * best;
  }

  get #hasLevelled() {
    return (hasLevelled(this.#ramp) || this.#hasLevelledBelowTheMost) && !this.#isUnconfirmed;
  }

  /** Whether fewer threads that the ramp has leapt over do as much as all that are allowed. */
  get #hasLevelledBelowTheMost() {
    const { highest, knee } = this;
    return highest?.threads === this.#maxThreads && isConfirmed(Number(knee), highest.threads, this.#maxThreads);
  }

  /** Operations a second of the best step; 0 where there is none. */
  get best() {
    return Math.max(0, ...this.#all().map(({ rate }) => rate));
  }

  /** @returns {number | null} threads */
  get knee() {
    return this.isEmpty ? null : kneeOf(this.#all());
  }

  /** Whether more threads bring no more, and enough more of them were tested. */
  get #stepsShowPlateau() {
    const { highest, knee } = this;
    return (
      highest !== undefined &&
      knee !== null &&
      this.#hasLevelled &&
      isConfirmed(knee, highest.threads, this.#maxThreads)
    );
  }

  /**
   * Whether the hold did what the steps had shown. What did more than was ever seen before, or much less, was another store
   * than theirs: something else had slowed the steps down, or the hold.
   */
  get holdAgrees() {
    const { held, best } = this;
    return held === null || (held <= SURPRISE * best && held >= DISAPPOINTMENT * best);
  }

  get hasPlateau() {
    return this.#stepsShowPlateau && this.holdAgrees;
  }

  /** Whether only more threads than it may use could show a plateau. */
  get needsMoreThreads() {
    return this.highest?.threads === this.#maxThreads && !this.#stepsShowPlateau && !this.#isUnconfirmed;
  }

  /** Threads of the hold. */
  get threadsToHold() {
    const steps = this.#all();
    return this.#hasLevelled
      ? threadsToHold(steps)
      : steps.reduce((best, step) => (step.rate > best.rate ? step : best)).threads;
  }

  /** @returns {{ phase: 'ramp' | 'refine', threads: number[] } | null} the threads wanted most, and what would do instead */
  next() {
    const highest = this.highest?.threads ?? 0;
    if (this.#hasFallen) {
      return { phase: 'ramp', threads: [highest] };
    }
    if (highest < this.#maxThreads && !this.hasPlateau) {
      // Without a second number of threads there is nothing to compare.
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
      // What cannot be confirmed with the threads that are allowed may turn out to have its knee lower.
      return nextOfRefinement(this.#all(), kneeOf(this.#all()));
    }
    return this.#refinements.length === 0 ? belowTheMost(this.#ramp, this.#unloadedLatency) : null;
  }

  /**
   * What a store may turn out to do at most, as far as it is known, and with how many threads.
   *
   * @returns {{ rate: number, threads: number }} operations a second
   */
  get mostExpected() {
    const { highest, best, held } = this;
    return this.#stepsShowPlateau && highest !== undefined
      ? { rate: Math.max(best, held ?? 0), threads: highest.threads }
      : { rate: this.#mostWith(this.#maxThreads), threads: this.#maxThreads };
  }

  /**
   * @param {number} threads
   * @returns {number} operations a second that are planned for
   */
  expectedRate(threads) {
    return MARGIN * this.#mostWith(threads);
  }

  /**
   * @param {number} threads
   * @returns {number} operations a second that can be expected at most
   */
  #mostWith(threads) {
    const steps = this.#all();
    const rates = steps.map((step) => Math.max(step.rate * (threads / step.threads), this.best));
    const seen = steps.filter((step) => step.threads <= threads).map(({ rate }) => rate);
    // The latency with one thread may have been assumed, or have become less: what was seen stands.
    return Math.max(Math.min((1000 * threads) / this.#unloadedLatency, ...rates), ...seen);
  }

  /**
   * @param {number} threads
   * @returns {number} ms that an operation takes, should the store do no more than so far
   */
  expectedLatency(threads) {
    return this.isEmpty ? this.#unloadedLatency : Math.max(this.#unloadedLatency, (1000 * threads) / this.best);
  }

  #all() {
    return [...this.#ramp, ...this.#refinements];
  }
}
