import { SETTLING_MS, USUAL_GAP_MS, slotFrom } from './stage-schedule.js';

/**
 * @import { StageResult } from '../model/result.js'
 * @import { Stage } from '../operations/stage.js'
 * @import { Config, ScheduleConfig } from '../model/config.js'
 * @import { StageTime } from './stage-schedule.js'
 */

/** A stage without a time limit is given this multiple of its longest recent duration. */
const SLACK = 1.25;

/** Pause between two passes, in which connections are reopened. */
export const PAUSE_MS = 250;

/** Earlier passes are forgotten, so that one stall of the store does not lengthen all later slots. */
const PASSES_REMEMBERED = 4;

/**
 * @typedef {object} PassTimes when the stages of a pass begin, in ms after the pass begins
 * @property {readonly number[]} offsets of the stages in their order
 * @property {number} length from the start of one pass to the start of the next
 */

/**
 * The slots of passes that take turns. All slots of a quad have the same length, and each stage begins at the same
 * offset in its slot on both sides, so a drift that is linear in time cancels out in ABBA. The lengths of stages
 * without a time limit come from earlier passes.
 */
export class PassSchedule {
  #stages;
  #schedule;
  /** Durations of the stages of the last passes, in ms. @type {number[][]} */
  #lengths = [];

  /**
   * @param {readonly Stage[]} stages of a pass
   * @param {Pick<ScheduleConfig, 'duration' | 'gap'>} schedule
   */
  constructor(stages, schedule) {
    this.#stages = stages;
    this.#schedule = schedule;
  }

  /** @param {readonly Pick<StageResult, 'duration'>[]} stages of a finished pass */
  take(stages) {
    this.#lengths.push(stages.map(({ duration }) => duration));
    this.#lengths = this.#lengths.slice(-PASSES_REMEMBERED);
  }

  /** @returns {PassTimes} of the next passes, based on the previous ones */
  times() {
    let length = 0;
    const offsets = this.#stages.map((stage, index) => {
      const offset = length;
      length += this.#allotted(stage, index);
      return offset;
    });
    return { offsets, length: length + PAUSE_MS };
  }

  /**
   * @param {Stage} stage
   * @param {number} index
   * @returns {number} ms from the start of this stage to the start of the next
   */
  #allotted({ removes }, index) {
    const { duration, gap = USUAL_GAP_MS } = this.#schedule;
    if (duration !== undefined && !removes) {
      return duration + gap;
    }
    return SLACK * Math.max(0, ...this.#lengths.map((lengths) => lengths[index])) + SETTLING_MS;
  }
}

/**
 * @param {PassTimes} times
 * @param {number} startsAt monotonic ms at which the pass begins
 * @param {Pick<ScheduleConfig, 'duration' | 'gap'>} schedule
 * @returns {(index: number) => StageTime}
 */
export function stageTimesOf({ offsets }, startsAt, { duration, gap = USUAL_GAP_MS }) {
  return (index) => {
    const start = startsAt + offsets[index];
    return { startsAt: start, slot: duration === undefined ? null : slotFrom(start, duration, gap) };
  };
}

/**
 * @param {readonly Stage[]} stages of a pass
 * @param {Pick<Config, 'objects' | 'load' | 'schedule'>} config
 * @param {ReadonlyMap<string, { p50: number }>} unloaded latencies with one thread in ms, by the stage's name in lower
 *   case
 * @returns {number | null} minimum ms of a pass, if all threads stay busy at the unloaded latency; null if a latency is
 *   unknown
 */
export function shortestPass(stages, { objects, load, schedule: { duration, gap = USUAL_GAP_MS } }, unloaded) {
  const lengths = stages.map(({ name, removes }) => {
    const latency = unloaded.get(name.toLowerCase())?.p50;
    if (duration !== undefined && !removes) {
      return duration + gap;
    }
    return latency === undefined ? null : (latency * objects.count) / load.threads;
  });
  return lengths.reduce((sum, length) => (sum === null || length === null ? null : sum + length), 0);
}
