import { Histogram } from './histogram.js';

/**
 * @import { RampResult, RampShortfall, RampStep } from './result.js'
 *
 * @typedef {Pick<RampStep, 'latency' | 'histogram'>} StepLatency
 */

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

/** @type {Readonly<StepLatency>} */
export const NO_STEP_LATENCY = Object.freeze({ latency: null, histogram: null });

/**
 * Adds the steps of hosts, slot by slot. Steps belong to the same slot if they start and end in the same seconds.
 *
 * @param {readonly RampResult[]} ramps at least one
 * @returns {RampResult} independent of the order of `ramps`
 */
export function addRamps(ramps) {
  /** @type {Map<string, RampStep[]>} */
  const bySlot = new Map();
  for (const step of ramps.flatMap(({ steps }) => steps)) {
    const slot = slotOfStep(step);
    bySlot.set(slot, [...(bySlot.get(slot) ?? []), step]);
  }
  const steps = [...bySlot.values()].map(addSteps);
  return { steps: steps.sort((one, other) => one.slotStart - other.slotStart || one.slotSeconds - other.slotSeconds) };
}

/** Returns equal strings for steps whose seconds can be added. @param {RampStep} step */
export function slotOfStep({ slotStart, slotSeconds, secondStart, operations }) {
  return [slotStart, slotSeconds, secondStart, operations.length].join(' ');
}

/** @param {readonly RampStep[]} steps of one slot, at least one */
function addSteps(steps) {
  const [first] = steps;
  if (steps.length === 1) {
    return first;
  }
  const sum = (/** @type {'hosts' | 'threads' | 'errors' | 'throttled'} */ name) =>
    steps.reduce((total, step) => total + step[name], 0);
  return {
    ...first,
    hosts: sum('hosts'),
    threads: sum('threads'),
    operations: first.operations.map((_, index) => steps.reduce((total, step) => total + step.operations[index], 0)),
    ...addHistograms(steps),
    errors: sum('errors'),
    throttled: sum('throttled'),
    shortfall: worstOf(steps.map(({ shortfall }) => shortfall)),
  };
}

/** Returns NO_STEP_LATENCY if any step with operations has no histogram. @param {readonly RampStep[]} steps */
function addHistograms(steps) {
  const busy = steps.filter(({ operations }) => operations.some((count) => count > 0));
  const encoded = busy.flatMap(({ histogram }) => (histogram === null ? [] : [histogram]));
  return encoded.length < busy.length ? NO_STEP_LATENCY : sumOfHistograms(encoded);
}

/** @param {readonly string[]} encoded histograms of µs */
export function sumOfHistograms(encoded) {
  const sum = new Histogram();
  encoded.forEach((histogram) => sum.addEncoded(histogram));
  return sum.count === 0 ? NO_STEP_LATENCY : { latency: sum.summary(), histogram: sum.encode() };
}

/** @param {readonly (RampShortfall | null)[]} shortfalls */
function worstOf(shortfalls) {
  const names = /** @type {RampShortfall[]} */ (Object.keys(SHORTFALLS));
  return names.findLast((each) => shortfalls.includes(each)) ?? null;
}
