import { SETTLING_MS, USUAL_GAP_MS, slotFrom } from './stage-schedule.js';

/**
 * @import { StageResult } from '../model/result.js'
 * @import { Stage } from '../operations/stage.js'
 * @import { Config, ScheduleConfig } from '../model/config.js'
 * @import { StageTime } from './stage-schedule.js'
 */

/** A stage that its work ends is given so much more time than it took the last times. */
const SLACK = 1.25;

/** Between two passes, for connections that have to be opened anew. */
export const PAUSE_MS = 250;

/** A stage that once took long, because the store stalled for a while, does not lengthen the slots for good. */
const PASSES_REMEMBERED = 4;

/**
 * When the stages of a pass begin, in ms after the pass began.
 *
 * @typedef {object} PassTimes
 * @property {readonly number[]} offsets of the stages in their order
 * @property {number} length from one pass to the next
 */

/**
 * The slots of passes that take turns. Within a quad all slots are of the same length, and a stage begins at the same
 * distance from the beginning of its slot, whichever side the slot is for: a drift that is linear in time then adds the same
 * to both sides of ABBA. How long stages take that their work ends shows in the passes before.
 */
export class PassSchedule {
  #stages;
  #schedule;
  /** ms of the stages of the last passes. @type {number[][]} */
  #lengths = [];

  /**
   * @param {readonly Stage[]} stages of a pass
   * @param {Pick<ScheduleConfig, 'duration' | 'gap'>} schedule
   */
  constructor(stages, schedule) {
    this.#stages = stages;
    this.#schedule = schedule;
  }

  /** @param {readonly Pick<StageResult, 'duration'>[]} stages of a pass that has been */
  take(stages) {
    this.#lengths.push(stages.map(({ duration }) => duration));
    this.#lengths = this.#lengths.slice(-PASSES_REMEMBERED);
  }

  /** @returns {PassTimes} of the next passes, as far as the last ones show */
  times() {
    let length = 0;
    const offsets = this.#stages.map((stage, place) => {
      const offset = length;
      length += this.#allotted(stage, place);
      return offset;
    });
    return { offsets, length: length + PAUSE_MS };
  }

  /**
   * @param {Stage} stage
   * @param {number} place
   * @returns {number} ms from its beginning to that of the next one
   */
  #allotted({ removes }, place) {
    const { duration, gap = USUAL_GAP_MS } = this.#schedule;
    if (duration !== undefined && !removes) {
      return duration + gap;
    }
    return SLACK * Math.max(0, ...this.#lengths.map((lengths) => lengths[place])) + SETTLING_MS;
  }
}

/**
 * @param {PassTimes} times
 * @param {number} startsAt monotonic ms at which the pass begins
 * @param {Pick<ScheduleConfig, 'duration' | 'gap'>} schedule
 * @returns {(place: number) => StageTime} of the stage in that place, from 0
 */
export function stageTimesOf({ offsets }, startsAt, { duration, gap = USUAL_GAP_MS }) {
  return (place) => {
    const start = startsAt + offsets[place];
    return { startsAt: start, slot: duration === undefined ? null : slotFrom(start, duration, gap) };
  };
}

/**
 * @param {readonly Stage[]} stages of a pass
 * @param {Pick<Config, 'objects' | 'load' | 'schedule'>} config
 * @param {ReadonlyMap<string, { p50: number }>} unloaded latencies with one thread in ms, by the stage's name in lower case
 * @returns {number | null} ms that a pass takes at least, because no more threads than there are can share the work; null
 *   where a latency is not known
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
