import { figuresOf } from '../figures/catalogue.js';
import { PAUSE_MS } from './pass-schedule.js';
import { turnsOf } from './quad-orders.js';

/**
 * @import { Pass, PassStage, Quad, QuadOrder, Side, Turn } from '../model/interleaved.js'
 * @import { StageResult } from '../model/result.js'
 * @import { PassSchedule, PassTimes } from './pass-schedule.js'
 *
 * @typedef {Turn & { startsAt: number, times: PassTimes }} PlannedTurn `startsAt` in monotonic ms; -Infinity to begin
 *   immediately
 */

/** One turn for each side before the quads, to warm up connections and code. */
const FIRST_TURNS = /** @type {const} */ (['a', 'b']);

const PASSES_PER_QUAD = 4;

/** Decides which side runs next, and when. */
export class TurnsPlan {
  #orders;
  #schedule;
  /** @type {Side[]} */
  #sides;
  #taken = 0;
  #times;
  /** Finished passes of the current quad. @type {Pass[]} */
  #passes = [];
  /** Monotonic ms. */
  #startsAt = -Infinity;

  /**
   * @param {readonly QuadOrder[]} orders one for each quad
   * @param {PassSchedule} schedule
   */
  constructor(orders, schedule) {
    this.#orders = orders;
    this.#schedule = schedule;
    this.#sides = [...FIRST_TURNS, ...orders.flatMap(turnsOf)];
    this.#times = schedule.times();
  }

  /** @returns {PlannedTurn | null} null after the last one */
  next() {
    if (this.#taken === this.#sides.length) {
      return null;
    }
    // All slots of a quad have the same length, so new measurements apply from the next quad on.
    if (this.#passes.length === 0) {
      this.#times = this.#schedule.times();
    }
    const times = this.#times;
    const timeLeft = this.#quad === null ? null : (this.#sides.length - this.#taken) * times.length;
    return { side: this.#sides[this.#taken], quad: this.#quad, timeLeft, startsAt: this.#startsAt, times };
  }

  /**
   * @param {readonly StageResult[]} stages of the turn planned last
   * @param {{ beganAt: number, endedAt: number }} times monotonic ms
   * @returns {Quad | null} the quad that this turn completed
   */
  take(stages, { beganAt, endedAt }) {
    const side = this.#sides[this.#taken];
    const quad = this.#quad;
    this.#taken += 1;
    this.#schedule.take(stages);
    if (quad === null) {
      this.#startsAt = this.#quad === null ? -Infinity : endedAt + PAUSE_MS;
      return null;
    }
    this.#startsAt = beganAt + this.#times.length;
    this.#passes.push({ side, stages: stages.map(passStage) });
    if (this.#passes.length < PASSES_PER_QUAD) {
      return null;
    }
    const passes = this.#passes;
    this.#passes = [];
    return { order: this.#orders[quad], passes };
  }

  /** The index of the next turn's quad; null for a warm-up turn. */
  get #quad() {
    const index = this.#taken - FIRST_TURNS.length;
    return index < 0 ? null : Math.floor(index / PASSES_PER_QUAD);
  }
}

/**
 * @param {StageResult} result
 * @returns {PassStage}
 */
function passStage(result) {
  const { stage, startedAt, duration, operations, failedAttempts } = result;
  const metrics = Object.fromEntries(figuresOf('ab').map(({ name, value }) => [name, value(result) ?? null]));
  return { stage, startedAt, duration, operations, failedAttempts, metrics };
}
