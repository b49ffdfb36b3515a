/** @import { Config, ScheduleConfig } from '../model/config.js' */

/** Between the stages of hosts that share slots; as long may go on what is under way when the time of a stage is over. ms */
export const USUAL_GAP_MS = 5000;

/** Aborting and settling take a moment, and must not delay the next stage, or the next step. */
export const SETTLING_MS = 100;

/** The share of a slot in which its step settles, and the one in which its last operations complete. */
const EDGE_SHARE = 0.1;

/** Neither is shorter, however short the slot is. Seconds. */
const MIN_EDGE = 0.5;

/** Whole seconds would be in another slot where the start was off by the rounding of a float. ms */
const ROUNDING_MS = 1;

/**
 * When a stage runs; all in monotonic ms.
 *
 * @typedef {object} SlotTimes
 * @property {number} startsAt
 * @property {number} stopsAt no operation is begun any more
 * @property {number} endsAt what is still under way is aborted, so that the next stage can start in time
 */

/**
 * The slots of stages that last a fixed time: they start together on all hosts that started together, however long the
 * last operations of a stage took on one of them.
 *
 * @param {number} startsAt monotonic ms of the first stage
 * @param {number} duration ms of a stage
 * @param {number} gap ms between two stages
 * @param {number} place of the stage, from 0
 * @returns {SlotTimes}
 */
export function slotOf(startsAt, duration, gap, place) {
  return slotFrom(startsAt + place * (duration + gap), duration, gap);
}

/**
 * @param {number} start monotonic ms of the stage
 * @param {number} duration ms of it
 * @param {number} gap ms to the next one
 * @returns {SlotTimes}
 */
export function slotFrom(start, duration, gap) {
  const stop = start + duration;
  return { startsAt: start, stopsAt: stop, endsAt: Math.max(stop + gap - SETTLING_MS, stop) };
}

/**
 * When a stage runs, whether time ends it or not.
 *
 * @typedef {object} StageTime
 * @property {number} startsAt monotonic ms before which it does not begin
 * @property {SlotTimes | null} slot null where the stage ends with its work
 */

/**
 * Hosts that share slots are in the same stage at the same time, however long the last operations of a stage took on one of them.
 * Where nobody else goes by the times of this host, or a stage may end before its time is over, the next one follows at once.
 *
 * @param {Pick<ScheduleConfig, 'duration' | 'gap' | 'untilStable' | 'sharesSlots'>} schedule
 * @param {number} startsAt monotonic ms of the first stage
 * @param {() => number} now monotonic ms
 * @returns {(place: number, earliest: number) => StageTime} of the stage in that place, from 0, which may not begin before
 *   `earliest`, in monotonic ms
 */
export function stageTimes({ duration, gap, untilStable, sharesSlots }, startsAt, now) {
  if (duration === undefined) {
    return () => ({ startsAt, slot: null });
  }
  const drain = gap ?? USUAL_GAP_MS;
  const pause = gap ?? (sharesSlots ? USUAL_GAP_MS : 0);
  return (place, earliest) => {
    const isFixed = place === 0 || (sharesSlots && untilStable === undefined);
    const slot = isFixed
      ? slotOf(startsAt, duration, drain, place)
      : slotFrom(Math.max(now() + pause, earliest), duration, drain);
    return { startsAt: slot.startsAt, slot };
  };
}

/**
 * When a step runs, in epoch seconds of the store's clock, so that all hosts count the same seconds.
 *
 * @typedef {object} RampSlot
 * @property {number} startsAt
 * @property {number} countsFrom the step has settled
 * @property {number} stopsAt nothing counts from here on, and no operation is begun any more
 * @property {number} endsAt
 */

/**
 * The slots of a stage. They begin on whole seconds: a second that is part of two slots could be counted in neither.
 *
 * @param {Pick<ScheduleConfig, 'ramp' | 'gap'>} schedule
 * @param {number} startsAt epoch ms of the first stage
 * @param {number} place of the stage, from 0
 * @returns {RampSlot[]} one for each step
 */
export function slotsOfStage({ ramp, gap = USUAL_GAP_MS }, startsAt, place) {
  const { threads, stepTime } = ramp ?? { threads: [], stepTime: 0 };
  const length = stepTime / 1000;
  const edge = Math.ceil(Math.max(EDGE_SHARE * length, MIN_EDGE));
  const first = Math.ceil((startsAt - ROUNDING_MS) / 1000) + place * (threads.length * length + Math.ceil(gap / 1000));
  return threads.map((_, step) => {
    const start = first + step * length;
    return { startsAt: start, countsFrom: start + edge, stopsAt: start + length - edge, endsAt: start + length };
  });
}

/**
 * @param {Pick<Config, 'schedule' | 'load'>} config
 * @returns {number} ms from the start of the first stage to the end of the last one; 0 where they go through no steps
 */
export function lengthOfRamps({ schedule, load: { stages } }) {
  const slots = slotsOfStage(schedule, 0, Math.max(stages.length - 1, 0));
  return 1000 * (slots.at(-1)?.endsAt ?? 0);
}
