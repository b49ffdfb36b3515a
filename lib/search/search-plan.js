import { WINDOW_MS } from './step-rate.js';

/**
 * @import { SearchPhase } from '../model/search.js'
 * @import { Latency } from './step-rate.js'
 */

/** Time limit for the search of a stage, in ms. */
export const STAGE_MS = 30_000;

/** Length of a hold in ms, excluding the time to settle. */
export const HOLD_MS = 10_000;

/** Minimum length of a hold in ms: a shorter one gives no confidence interval. */
export const MIN_HOLD_MS = 2000;

/** Duration in ms of each step that compares the sizes. */
const SIZE_MS = 1000;

/** @typedef {Extract<SearchPhase, 'whole size' | 'half size'>} SizePhase */

/** The steps that compare the sizes. A drift over time shows as a difference between two steps of one size. */
export const COMPARISON = Object.freeze(
  /** @type {readonly SizePhase[]} */ (['whole size', 'half size', 'whole size', 'half size']),
);

const MIN_STEP_MS = 1000;
const MAX_STEP_MS = 2500;

/** Maximum duration of a ramp step in ms, short because a ramp needs only the order of magnitude. */
const MAX_RAMP_MS = 1500;

const MIN_SETTLING_MS = 250;
const MAX_SETTLING_MS = 2000;
const MIN_GRACE_MS = 500;
const MAX_GRACE_MS = 3000;

/** Multiples of the unloaded latency for which a step settles, and for which it is then measured. */
const SETTLING_ROUNDS = 2;
const MEASURED_ROUNDS = 4;

/** Minimum time in ms for which one thread must have objects, so that its rate can be held. */
const MIN_SEARCH_MS = 12_000;

/**
 * @typedef {object} StepTimes how long a step takes, in ms
 * @property {number} settle before the first window counts
 * @property {number} minDuration minimum measured time
 * @property {number} maxDuration measured time if the windows do not agree earlier
 * @property {number} grace for operations still in flight at the end
 */

/**
 * @typedef {object} StepPlan the next step of a search
 * @property {SearchPhase} phase
 * @property {number} threads
 * @property {number} [rate] operations per second of an open loop; absent in a closed one
 * @property {number} operations maximum number to start
 * @property {number} attempts maximum number of attempts
 * @property {number} precision standard error of the windows, as a share of their mean, at which the step may
 *   end early
 * @typedef {StepPlan & StepTimes} Step
 */

/**
 * @typedef {object} StepResult
 * @property {number} elapsed ms of the whole step
 * @property {number} consumed operations started, whatever their outcome
 * @property {number} attempts
 * @property {number} throttled attempts that the store refused with a request to slow down
 * @property {readonly number[]} windows operations that completed in each measured window
 * @property {Latency | null} latency null if none succeeded
 */

/**
 * @param {SearchPhase} phase
 * @param {{ unloadedLatency: number, latency: number }} expected ms; `latency`: with the step's number of threads
 * @returns {StepTimes}
 */
export function timesOf(phase, { unloadedLatency, latency }) {
  const settle = upToWindows(between(MIN_SETTLING_MS, SETTLING_ROUNDS * unloadedLatency, MAX_SETTLING_MS));
  const grace = between(MIN_GRACE_MS, 1.5 * latency + WINDOW_MS, MAX_GRACE_MS);
  if (phase === 'hold') {
    return { settle: Math.max(settle, 2 * WINDOW_MS), minDuration: HOLD_MS, maxDuration: HOLD_MS, grace };
  }
  if (phase === 'whole size' || phase === 'half size') {
    return { settle, minDuration: SIZE_MS, maxDuration: SIZE_MS, grace };
  }
  const minDuration = upToWindows(between(MIN_STEP_MS, MEASURED_ROUNDS * unloadedLatency, MAX_STEP_MS));
  return {
    settle,
    minDuration,
    maxDuration: Math.max(minDuration, phase === 'ramp' ? MAX_RAMP_MS : MAX_STEP_MS),
    grace,
  };
}

/** Duration of a step in ms if it is steady from the beginning. @param {StepTimes} times */
export function shortest({ settle, minDuration, grace }) {
  return settle + minDuration + grace;
}

/** Minimum operations for a search, even with only one thread. @param {number} unloadedLatency ms */
export function minOperations(unloadedLatency) {
  return Math.ceil(MIN_SEARCH_MS / unloadedLatency);
}

/**
 * Operations that a search needs per op/s of the store: for a stage at the full rate, for half-size objects at a little
 * more than twice that rate, and 10% extra, because each step is planned with a margin.
 */
export const SECONDS_OF_OPERATIONS = 40;

/** At most this many steps end with an operation in flight on each thread. */
const STEPS_AT_PEAK = 10;

/**
 * @param {number} rate maximum operations per second of the store
 * @param {number} threads maximum
 * @returns {number} operations that suffice for a search, whatever it finds
 */
export function operationsOfSearch(rate, threads) {
  return Math.ceil(SECONDS_OF_OPERATIONS * rate) + STEPS_AT_PEAK * threads;
}

/** Rounds down to whole windows. @param {number} duration ms */
export function inWholeWindows(duration) {
  return Math.floor(duration / WINDOW_MS) * WINDOW_MS;
}

/**
 * @param {number} low
 * @param {number} value
 * @param {number} high
 */
function between(low, value, high) {
  return Math.min(Math.max(value, low), high);
}

/** @param {number} duration ms */
function upToWindows(duration) {
  return Math.ceil(duration / WINDOW_MS) * WINDOW_MS;
}
