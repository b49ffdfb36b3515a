import { WINDOW_MS } from './step-rate.js';

/**
 * @import { SearchPhase } from '../model/search.js'
 * @import { Latency } from './step-rate.js'
 */

/** A stage of a search is over after this time, whatever it has found. ms */
export const STAGE_MS = 30_000;

/** The length of a hold, in addition to the time in which it settles. ms */
export const HOLD_MS = 10_000;

/** A shorter hold is too short for a confidence interval. ms */
export const MIN_HOLD_MS = 2000;

/** How long objects of either size are tried at a time, when the sizes are compared. ms */
const SIZE_MS = 1000;

/** @typedef {Extract<SearchPhase, 'whole size' | 'half size'>} SizePhase a step that is for comparing the sizes */

/** The steps that compare the sizes: what changes with time shows as a difference between two steps of one size. */
export const COMPARISON = Object.freeze(
  /** @type {readonly SizePhase[]} */ (['whole size', 'half size', 'whole size', 'half size']),
);

const MIN_STEP_MS = 1000;
const MAX_STEP_MS = 2500;

/** While it climbs, a search needs no more than the order of magnitude. ms */
const MAX_RAMP_MS = 1500;

const MIN_SETTLING_MS = 250;
const MAX_SETTLING_MS = 2000;
const MIN_GRACE_MS = 500;
const MAX_GRACE_MS = 3000;

/** What a step takes at most in addition to the time that it is measured. ms */
export const MAX_EDGES_MS = MAX_SETTLING_MS + MAX_GRACE_MS;

/** Unloaded latencies that a step needs to settle, and that it has to hold. */
const SETTLING_ROUNDS = 2;
const MEASURED_ROUNDS = 4;

/** For so many unloaded latencies, at least, one thread needs objects: it could not hold its own rate otherwise. */
const MIN_SEARCH_MS = 12_000;

/**
 * How long a step takes, in ms.
 *
 * @typedef {object} StepTimes
 * @property {number} settle passes before the first window counts
 * @property {number} minDuration is measured
 * @property {number} maxDuration is measured where the windows do not agree earlier
 * @property {number} grace for what is still under way then
 */

/**
 * The next step of a search.
 *
 * @typedef {object} StepPlan
 * @property {SearchPhase} phase
 * @property {number} threads
 * @property {number} [buckets] the first so many, which alone take part; absent where all do
 * @property {number} [rate] operations a second of an open loop; absent in a closed one
 * @property {number} operations that it may begin at most
 * @property {number} attempts that it may make at most
 * @property {number} precision the windows' standard error, as a share of their mean, at which it may end early
 * @typedef {StepPlan & StepTimes} Step
 */

/**
 * What became of a step.
 *
 * @typedef {object} StepResult
 * @property {number} elapsed ms of the whole step
 * @property {number} consumed operations that it began, whatever became of them
 * @property {number} attempts
 * @property {readonly number[]} windows operations that completed in each window that was measured
 * @property {Latency | null} latency of the operations; null where none succeeded
 * @property {boolean} [isClientBusy] whether this host, and not the store, had no time left
 */

/**
 * @param {SearchPhase} phase
 * @param {object} expected
 * @param {number} expected.unloadedLatency ms
 * @param {number} expected.latency ms, as far as it is known for so many threads
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

/**
 * @param {StepTimes} times
 * @returns {number} ms that the step takes where it is steady from the beginning
 */
export function shortest({ settle, minDuration, grace }) {
  return settle + minDuration + grace;
}

/**
 * @param {number} unloadedLatency ms
 * @returns {number} operations below which a search has no chance, even if no more than one thread could be used
 */
export function minOperations(unloadedLatency) {
  return Math.ceil(MIN_SEARCH_MS / unloadedLatency);
}

/**
 * Operations for each one that a store can do in a second: a stage at its full rate, objects of half the size that are
 * twice as quick and a little more, and a tenth in addition, by which each step is planned too large.
 */
export const SECONDS_OF_OPERATIONS = 40;

/** So many steps may end with all of the threads' operations under way. */
const STEPS_AT_PEAK = 10;

/**
 * @param {number} rate operations a second that the store does at most
 * @param {number} threads at most
 * @returns {number} operations that are enough for a search, whatever it finds
 */
export function operationsOfSearch(rate, threads) {
  return Math.ceil(SECONDS_OF_OPERATIONS * rate) + STEPS_AT_PEAK * threads;
}

/**
 * @param {number} duration ms
 * @returns {number} as much of it as whole windows take, in ms
 */
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
