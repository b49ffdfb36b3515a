import { errorOfMean, errorOfNoisyMean } from '../../measure/statistics/dependent-mean.js';
import { meanOf, standardErrorOf, sumOf } from '../../measure/statistics/moments.js';
import { awayFromGaps } from '../seconds.js';

/**
 * @import { Histogram } from '../histogram.js'
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

/** With fewer operations slower than the quantile, the estimate depends mostly on chance. */
const MIN_EXCEEDANCES = 100;

/** Operations slower than the quantile must occur in at least this many seconds. */
const MIN_SECONDS_WITH = 10;

/** Relative resolution of a histogram with three digits. */
const RESOLUTION = 0.001;

/**
 * @typedef {{ above: number, all: number }} Exceedances operations in a second that took longer than the stage's quantile
 *
 * @param {readonly Exceedances[]} seconds
 * @returns {string | null} why too few operations exceed the quantile; null if there are enough
 */
export function whyTooFew(seconds) {
  const exceedances = sumOf(seconds.map(({ above }) => above));
  if (exceedances < MIN_EXCEEDANCES) {
    return `only ${exceedances} operations were slower (at least ${MIN_EXCEEDANCES} are needed)`;
  }
  const withSome = seconds.filter(({ above }) => above > 0).length;
  return withSome < MIN_SECONDS_WITH
    ? `slower operations occurred in only ${withSome} of the one-second intervals (at least ${MIN_SECONDS_WITH} are needed)`
    : null;
}

/**
 * The interval of a quantile by R. S. Woodruff, Confidence intervals for medians and other position measures, Journal
 * of the American Statistical Association 47 (1952). The share of operations above the quantile is a mean with a known
 * error. The quantiles at the ends of this mean's interval are the ends of the quantile's interval. The error is that
 * of a ratio of two sums over seconds (W. G. Cochran, Sampling Techniques, 1977, chapter 6). As in a rate, neighbouring
 * seconds are not independent.
 *
 * @param {Histogram} whole the stage
 * @param {readonly Exceedances[]} seconds
 * @param {number} share such as 0.99
 * @returns {Estimate}
 */
export function estimateQuantile(whole, seconds, share) {
  const all = meanOf(seconds.map((second) => second.all));
  const exceeding = meanOf(seconds.map((second) => second.above)) / all;
  const { variance, freedom } = errorOfNoisyMean(seconds.map((second) => second.above - exceeding * second.all));
  const error = Math.sqrt(variance) / all;
  const logAt = (/** @type {number} */ part) => Math.log(whole.at(100 * part));
  const log = logAt(share);
  return {
    log,
    freedom,
    below(errors) {
      const lower = share - errors * error;
      return lower <= 0 ? Infinity : Math.max(log - logAt(lower), errors * RESOLUTION);
    },
    above(errors) {
      const upper = share + errors * error;
      return upper >= 1 ? Infinity : Math.max(logAt(upper) - log, errors * RESOLUTION);
    },
  };
}
