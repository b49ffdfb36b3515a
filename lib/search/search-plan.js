import { WINDOW_MS } from './step-rate.js';

/** @import { Latency } from './step-rate.js' */

/** A stage of a search is over after this time, whatever it has found. ms */
export const STAGE_MS = 25_000;

/** The peak is held for as long, beside the time in which it settles. ms */
export const HOLD_MS = 10_000;

/** A peak that is held for a shorter time than this has no interval to tell. ms */
export const SHORTEST_HOLD_MS = 2000;

/** How long objects of the second size are tried. ms */
const SECOND_SIZE_MS = 1500;

const LEAST_STEP_MS = 1000;
const MOST_STEP_MS = 2500;

/** While it climbs, a search needs no more than the order of magnitude. ms */
const MOST_CLIMB_MS = 1500;

const SHORTEST_SETTLING_MS = 250;
const LONGEST_SETTLING_MS = 2000;
const LEAST_GRACE_MS = 500;
const MOST_GRACE_MS = 3000;

/** Unloaded latencies that a step needs to settle, and that it has to hold. */
const SETTLING_ROUNDS = 2;
const MEASURED_ROUNDS = 4;

/** For so many unloaded latencies, at least, one thread needs objects: it could not hold its own rate otherwise. */
const LEAST_SEARCH_MS = 12_000;

/** What a step is for. @typedef {'climb' | 'refine' | 'hold' | 'second size'} Phase */

/**
 * How long a step takes, in ms.
 *
 * @typedef {object} StepTimes
 * @property {number} settle passes before the first window counts
 * @property {number} least is measured
 * @property {number} most is measured where the windows do not agree earlier
 * @property {number} grace for what is still under way then
 */

/**
 * What is to be done next.
 *
 * @typedef {object} StepPlan
 * @property {Phase} phase
 * @property {number} threads
 * @property {number} operations that it may begin at most
 * @property {number} attempts that it may make at most
 * @property {number} precision the windows' standard error, as a share of their mean, at which it may end early
 * @typedef {StepPlan & StepTimes} Step
 */

/**
 * What became of it.
 *
 * @typedef {object} StepResult
 * @property {number} elapsed ms of the whole step
 * @property {number} consumed operations that it began, whatever became of them
 * @property {number} attempts
 * @property {readonly number[]} windows operations that completed in each window that was measured
 * @property {Latency | null} latency of the operations; null where none succeeded
 */

/**
 * @param {Phase} phase
 * @param {object} expected
 * @param {number} expected.unloadedLatency ms
 * @param {number} expected.latency ms, as far as it is known for so many threads
 * @returns {StepTimes}
 */
export function timesOf(phase, { unloadedLatency, latency }) {
  const settle = upToWindows(between(SHORTEST_SETTLING_MS, SETTLING_ROUNDS * unloadedLatency, LONGEST_SETTLING_MS));
  const grace = between(LEAST_GRACE_MS, 1.5 * latency + WINDOW_MS, MOST_GRACE_MS);
  if (phase === 'hold') {
    return { settle: Math.max(settle, 2 * WINDOW_MS), least: HOLD_MS, most: HOLD_MS, grace };
  }
  if (phase === 'second size') {
    return { settle, least: SECOND_SIZE_MS, most: SECOND_SIZE_MS, grace };
  }
  const least = upToWindows(between(LEAST_STEP_MS, MEASURED_ROUNDS * unloadedLatency, MOST_STEP_MS));
  return { settle, least, most: Math.max(least, phase === 'climb' ? MOST_CLIMB_MS : MOST_STEP_MS), grace };
}

/**
 * @param {StepTimes} times
 * @returns {number} ms that the step takes where it is steady from the beginning
 */
export function shortest({ settle, least, grace }) {
  return settle + least + grace;
}

/**
 * @param {number} unloadedLatency ms
 * @returns {number} operations below which a search has no chance, even if no more than one thread could be used
 */
export function fewestOperations(unloadedLatency) {
  return Math.ceil(LEAST_SEARCH_MS / unloadedLatency);
}

/**
 * @param {number} threads
 * @param {number} unloadedLatency ms
 * @returns {number} operations that a search can take at most: those of a store that never becomes slower
 */
export function mostOperations(threads, unloadedLatency) {
  return Math.ceil((STAGE_MS / unloadedLatency) * threads);
}

/**
 * @param {number} duration ms
 * @returns {number} as much of it as whole windows take, in ms
 */
export function inWholeWindows(duration) {
  return Math.floor(duration / WINDOW_MS) * WINDOW_MS;
}

/**
 * @param {number} least
 * @param {number} value
 * @param {number} most
 */
function between(least, value, most) {
  return Math.min(Math.max(value, least), most);
}

/** @param {number} duration ms */
function upToWindows(duration) {
  return Math.ceil(duration / WINDOW_MS) * WINDOW_MS;
}
