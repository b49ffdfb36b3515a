/**
 * When a stage runs; all in monotonic ms.
 *
 * @typedef {object} Slot
 * @property {number} startsAt
 * @property {number} stopsAt no operation is begun any more
 * @property {number} endsAt what is still under way is aborted, so that the next stage can start in time
 */

/** Aborting and settling take a moment, and must not delay the next stage. */
export const SETTLING_MS = 100;

/**
 * The slots of stages that last a fixed time: they start together on all hosts that started together, however long the
 * last operations of a stage took on one of them.
 *
 * @param {number} startsAt monotonic ms of the first stage
 * @param {number} duration ms of a stage
 * @param {number} gap ms between two stages
 * @param {number} place of the stage, from 0
 * @returns {Slot}
 */
export function slotOf(startsAt, duration, gap, place) {
  const start = startsAt + place * (duration + gap);
  const stop = start + duration;
  return { startsAt: start, stopsAt: stop, endsAt: Math.max(stop + gap - SETTLING_MS, stop) };
}
