import { awayFromGaps } from '../seconds.js';
import { errorOfMean } from '../../measure/statistics/dependent-mean.js';
import { meanOf, standardErrorOf } from '../../measure/statistics/moments.js';

/**
 * @import { CommonOptions, SecondResult, StageSum } from '../result.js'
 * @import { Estimate } from './log-ratio.js'
 */

/**
 * @param {readonly number[]} seconds amount per whole second, at least MIN_SECONDS
 * @returns {Estimate | null} of the mean; null if it is 0
 */
export function estimateRate(seconds) {
  const mean = meanOf(seconds);
  if (mean <= 0) {
    return null;
  }
  const { variance, freedom } = errorOfMean(seconds);
  // Even a perfectly steady rate is known only to within one operation.
  return symmetric(Math.log(mean), Math.max(Math.sqrt(variance), 1 / seconds.length) / mean, freedom);
}

/**
 * @param {number} log
 * @param {number} error standard error of the logarithm
 * @param {number} freedom
 * @returns {Estimate}
 */
function symmetric(log, error, freedom) {
  const reach = (/** @type {number} */ errors) => errors * error;
  return { log, freedom, below: reach, above: reach };
}

/**
 * @param {readonly number[]} logs of independent measurements, at least two
 * @returns {Estimate} of their geometric mean
 */
export function estimateOfLogs(logs) {
  return symmetric(meanOf(logs), standardErrorOf(logs), logs.length - 1);
}

/** Degrees of freedom from which on Student's t distribution is about normal. */
const MANY = 1000;

/**
 * The square root of a Poisson count has a standard error of about 1/2, whatever the count (M. S. Bartlett, The square
 * root transformation in analysis of variance, Supplement to the Journal of the Royal Statistical Society 3 (1936)). As
 * counts are whole numbers, the interval reaches half a count further in both directions.
 *
 * @param {{ failed: number, attempts: number }} counts
 * @returns {Estimate} of the share of failed attempts
 */
export function estimateFailures({ failed, attempts }) {
  const count = failed + 0.5;
  return {
    log: Math.log(count / attempts),
    freedom: MANY,
    below: (errors) => Math.log(count) - 2 * Math.log(Math.max(Math.sqrt(failed) - errors / 2, 0)),
    above: (errors) => 2 * Math.log(Math.sqrt(failed + 1) + errors / 2) - Math.log(count),
  };
}

/** ms to skip at the start of a stage if its warm-up is unknown, and at the end if its drain is unknown. */
const UNKNOWN_EDGE = 1000;

/**
 * The whole seconds of a stage at its intended load. Excludes warm-up, drain, seconds next to a pause, and seconds in
 * which a host was not in the stage.
 *
 * @param {StageSum} stage
 * @param {CommonOptions | null} options
 * @returns {SecondResult[]} in order
 */
export function steadySeconds(stage, options) {
  const { from, until } = (stage.merge?.hosts ?? 1) > 1 ? timeOfAll(stage, options) : timeOfOne(stage);
  const seconds = stage.seconds
    .filter(({ secondStart }) => 1000 * secondStart >= from && 1000 * (secondStart + 1) <= until)
    .sort((one, other) => one.secondStart - other.secondStart);
  return stage.paused ? awayFromGaps(seconds) : seconds;
}

/**
 * @typedef {{ from: number, until: number }} Time epoch ms; contains no second if unknown
 *
 * @param {StageSum} stage of one host
 * @returns {Time}
 */
function timeOfOne({ startedAt, endedAt, warmup, drain }) {
  return {
    from: (startedAt ?? Infinity) + (warmup ?? UNKNOWN_EDGE),
    until: (endedAt ?? -Infinity) - (drain ?? UNKNOWN_EDGE),
  };
}

/**
 * Each host counts its warm-up and duration from its own start. The time that all hosts share begins after the last
 * warm-up, and ends when the first host reaches its duration.
 *
 * @param {StageSum} stage of several hosts
 * @param {CommonOptions | null} options shared by the hosts
 * @returns {Time}
 */
function timeOfAll({ startedAt, endedAt, warmup, drain, merge }, options) {
  const { from: lastStart, to: firstEnd } = merge?.overlap ?? {};
  return {
    from: (lastStart ?? Infinity) + (options?.warmup ?? warmup ?? UNKNOWN_EDGE),
    until: Math.min(
      firstEnd ?? -Infinity,
      (endedAt ?? -Infinity) - (drain ?? UNKNOWN_EDGE),
      (startedAt ?? -Infinity) + (options?.duration ?? Infinity),
    ),
  };
}
