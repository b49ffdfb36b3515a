/** @import { StepRate } from './step-rate.js' */

/** Where further threads bring less than this share, they bring nothing. */
const MIN_GROWTH = 0.03;

/** A rate is as good as the best from this share of it on, as far as both are known. */
const KNEE_SHARE = 0.99;

/** Standard errors by which a rate may be off. */
const DOUBT = 1.5;

/** So many times the threads of the knee must bring no more, for it to be one. */
const CONFIRMED_AT = 2;

/** So many times its threads keep a store busy, as far as they do as much. */
const HELD_AT = 1.25;

/** Where no more threads are allowed, this many times will do. */
const CONFIRMED_AT_LEAST = 4 / 3;

/** From this share of a rate in proportion to the threads on, the next step is a large one. */
const IN_PROPORTION = 0.8;

/** From this share on, fewer threads cannot have done as much as the most, though a step may be off. */
const STILL_GROWN = 0.9;

/** The rate at which a search begins, estimated from the unloaded latency: at a lower rate the count of a second would be too small. */
const FIRST_RATE = 100;

const MIN_FIRST_THREADS = 4;
const MAX_FIRST_THREADS = 64;

/** A knee between two numbers of threads that are no further apart is found. */
const FINE_ENOUGH = 1.25;

/**
 * @param {readonly StepRate[]} steps in any order, at least one
 * @returns {number} the fewest of the tested threads that do as much as any others
 */
export function kneeOf(steps) {
  return threadsAsGood(steps)[0];
}

/**
 * @param {readonly StepRate[]} steps at least one
 * @returns {number[]} the tested numbers of threads that do as much as any others, the fewest first
 */
export function threadsAsGood(steps) {
  const level = Math.max(...steps.map(({ rate, error }) => rate - DOUBT * error));
  return steps
    .filter(({ rate, error }) => rate + DOUBT * error >= KNEE_SHARE * level)
    .map(({ threads }) => threads)
    .sort((one, other) => one - other);
}

/**
 * @param {readonly StepRate[]} ramp steps with ever more threads
 * @returns {boolean} whether the last step brought next to nothing
 */
export function hasLevelled(ramp) {
  const [before, last] = ramp.slice(-2);
  return last !== undefined && last.rate < (1 + MIN_GROWTH) * before.rate;
}

/**
 * @param {number} knee threads
 * @param {number} highest threads tested
 * @param {number} maxThreads allowed
 * @returns {boolean} whether enough more threads than those of the knee were tested
 */
export function isConfirmed(knee, highest, maxThreads) {
  return highest >= (highest === maxThreads ? CONFIRMED_AT_LEAST : CONFIRMED_AT) * knee;
}

/**
 * @param {readonly StepRate[]} ramp steps with ever more threads, at least one, the last with as many as are allowed
 * @param {number} unloadedLatency ms of an operation at one thread
 * @returns {number | null} the most threads that would show a plateau if they did as much as all; null where the rate has
 *   grown about in proportion, so that fewer cannot have done as much
 */
export function belowTheMost(ramp, unloadedLatency) {
  const { threads } = ramp[ramp.length - 1];
  const fewer = Math.floor(threads / CONFIRMED_AT_LEAST);
  const hasGrown = shareOfProportion(ramp, unloadedLatency) >= STILL_GROWN;
  return fewer > (ramp.at(-2)?.threads ?? 0) && !hasGrown ? fewer : null;
}

/**
 * @param {readonly StepRate[]} ramp steps with ever more threads
 * @param {number} unloadedLatency ms of an operation at one thread
 * @returns {number} threads of the next one
 */
export function nextOfRamp(ramp, unloadedLatency) {
  if (ramp.length === 0) {
    const threads = Math.ceil((FIRST_RATE * unloadedLatency) / 1000);
    return Math.min(Math.max(threads, MIN_FIRST_THREADS), MAX_FIRST_THREADS);
  }
  return ramp[ramp.length - 1].threads * (shareOfProportion(ramp, unloadedLatency) >= IN_PROPORTION ? 4 : 2);
}

/**
 * @param {readonly StepRate[]} ramp steps with ever more threads, at least one
 * @param {number} unloadedLatency ms of an operation at one thread
 * @returns {number} the last step's rate ÷ what it would be, had it grown with the threads
 */
function shareOfProportion(ramp, unloadedLatency) {
  const last = ramp[ramp.length - 1];
  const before = ramp.at(-2) ?? { threads: 1, rate: 1000 / unloadedLatency };
  return last.rate / ((before.rate * last.threads) / before.threads);
}

/**
 * @param {readonly StepRate[]} steps
 * @param {number} knee threads, as far as it is known
 * @returns {number | null} threads between the knee and what is known to be less; null where it is found
 */
export function nextOfRefinement(steps, knee) {
  const below = Math.max(0, ...steps.map(({ threads }) => threads).filter((threads) => threads < knee));
  if (below === 0) {
    return knee > 1 ? Math.floor(knee / 2) : null;
  }
  const between = Math.round(Math.sqrt(below * knee));
  return knee / below <= FINE_ENOUGH || between === below || between === knee ? null : between;
}

/**
 * The number of threads to hold. Right at the knee a store is idle now and then: with some more threads
 * there is always an operation that waits for it.
 *
 * @param {readonly StepRate[]} steps
 * @returns {number} threads that were tested, and that do as much as any others
 */
export function threadsToHold(steps) {
  const threads = threadsAsGood(steps);
  return threads.find((each) => each >= HELD_AT * threads[0]) ?? threads[threads.length - 1];
}
