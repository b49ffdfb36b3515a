/** @import { RampResult, RampShortfall, RampStep } from './result.js' */

/** Shortfalls of a host as phrases, from the mildest to the worst. A step has the worst shortfall of its hosts. */
const SHORTFALLS = Object.freeze({
  late: 'started late',
  objects: 'ran out of objects',
  suspended: 'was suspended',
  stopped: 'was stopped',
  stalled: 'completed no operation',
  overloaded: 'was overloaded',
  fatal: 'ended with an error',
});

/**
 * @param {RampShortfall | null} shortfall null if a log has no record of the step
 * @returns {string} a phrase about the host
 */
export function describeShortfall(shortfall) {
  return shortfall === null ? 'left no record of it in its log' : SHORTFALLS[shortfall];
}

/** Whether a host sent nothing: it missed all slots or had no objects. @param {RampResult | null | undefined} ramp */
export function missedAllSlots(ramp) {
  const steps = ramp?.steps ?? [];
  return (
    steps.length > 0 &&
    steps.every(({ hosts, shortfall }) => hosts === 0 && (shortfall === 'late' || shortfall === 'objects'))
  );
}

/** Returns equal strings for steps that are added. @param {RampStep} step */
export function slotOfStep({ slotStart, slotSeconds, secondStart }) {
  return [slotStart, slotSeconds, secondStart].join(' ');
}
