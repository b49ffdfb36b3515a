/** @import { RampPlan, ScheduleConfig } from '../result/config.js' */

/** Default ms between the stages of hosts that share slots, and default ms for operations to complete after a stage. */
export const USUAL_GAP_MS = 5000;

/** Time to abort requests and let them settle, so that neither delays the next stage or step. */
export const SETTLING_MS = 100;

/** Share of a slot that is reserved at its start for the step to settle, and at its end for operations to complete. */
const EDGE_SHARE = 0.1;

/** Minimum length of each edge, in seconds. */
const MIN_EDGE = 0.5;

/** In ms. Prevents a rounding error in the start from delaying the slots by a whole second. */
const ROUNDING_MS = 1;

/**
 * @typedef {object} SlotTimes when a stage runs, in monotonic ms
 * @property {number} startsAt
 * @property {number} stopsAt no operation starts after this
 * @property {number} endsAt when pending operations are aborted, so that the next stage starts on time
 */

/**
 * The slots of stages that last a fixed time. Hosts that started together start each stage together, even if one of
 * them takes longer to complete its last operations.
 *
 * @param {number} startsAt monotonic ms of the first stage
 * @param {number} duration ms of a stage
 * @param {number} gap ms between two stages
 * @param {number} index of the stage
 * @returns {SlotTimes}
 */
export function slotOf(startsAt, duration, gap, index) {
  return slotFrom(startsAt + index * (duration + gap), duration, gap);
}

/**
 * @param {number} start monotonic ms of the stage
 * @param {number} duration ms
 * @param {number} gap ms to the next stage
 */
function slotFrom(start, duration, gap) {
  const stop = start + duration;
  return { startsAt: start, stopsAt: stop, endsAt: Math.max(stop + gap - SETTLING_MS, stop) };
}

/**
 * @typedef {{ startsAt: number, slot: SlotTimes | null }} StageTime `startsAt`: earliest start in monotonic ms;
 *   `slot`: null without a time limit
 */

/**
 * Hosts that share slots run the same stage at the same time. Otherwise, the next stage starts after the previous one has
 * ended.
 *
 * @param {Pick<ScheduleConfig, 'duration' | 'gap' | 'sharesSlots'>} schedule
 * @param {number} startsAt monotonic ms of the first stage
 * @param {() => number} now monotonic ms
 * @returns {(index: number, earliest: number) => StageTime} of the stage with that index; it does not begin before
 *   `earliest`, in monotonic ms
 */
export function stageTimes({ duration, gap, sharesSlots }, startsAt, now) {
  if (duration === undefined) {
    return () => ({ startsAt, slot: null });
  }
  const drain = gap ?? USUAL_GAP_MS;
  const pause = gap ?? (sharesSlots ? USUAL_GAP_MS : 0);
  return (index, earliest) => {
    const slot =
      index === 0 || sharesSlots
        ? slotOf(startsAt, duration, drain, index)
        : slotFrom(Math.max(now() + pause, earliest), duration, drain);
    return { startsAt: slot.startsAt, slot };
  };
}

/**
 * @typedef {object} RampSlot when a step runs, in epoch seconds of the store's clock, so that all hosts count the same
 *   seconds
 * @property {number} startsAt
 * @property {number} countsFrom when the step has settled
 * @property {number} stopsAt when counting ends; no operation starts after this
 * @property {number} endsAt
 */

/**
 * The slots of a stage. They begin on whole seconds, because a second split between two slots would count in neither.
 *
 * @param {RampPlan} ramp
 * @param {number} gap ms between two stages
 * @param {number} startsAt epoch ms of the first stage
 * @param {number} index of the stage
 * @returns {RampSlot[]} one for each step
 */
export function slotsOfStage({ threads, stepTime }, gap, startsAt, index) {
  const length = stepTime / 1000;
  const edge = Math.ceil(Math.max(EDGE_SHARE * length, MIN_EDGE));
  const first = Math.ceil((startsAt - ROUNDING_MS) / 1000) + index * (threads.length * length + Math.ceil(gap / 1000));
  return threads.map((_, step) => {
    const start = first + step * length;
    return { startsAt: start, countsFrom: start + edge, stopsAt: start + length - edge, endsAt: start + length };
  });
}
