import { errorOfNoisyMean } from '../../measure/statistics/dependent-mean.js';
import { meanOf, sumOf } from '../../measure/statistics/moments.js';

/** @import { Estimate } from './log-ratio.js' */

/** With fewer operations slower than the quantile, the estimate depends mostly on chance. */
const MIN_EXCEEDANCES = 100;

/** Operations slower than the quantile must occur in at least this many seconds. */
const MIN_SECONDS_WITH = 10;

/** Relative resolution of a histogram with three digits. */
const RESOLUTION = 0.001;

/**
 * Counts the operations in each second that took longer than the stage's quantile.
 *
 * @typedef {{ above: number, all: number }} Exceedances
 *
 * @param {Distribution} whole the stage
 * @param {readonly Distribution[]} seconds
 * @param {number} share such as 0.99
 * @returns {Exceedances[]}
 */
export function exceedancesOf(whole, seconds, share) {
  const quantile = whole.quantile(share);
  return seconds.map((second) => ({ above: second.countAbove(quantile), all: second.count }));
}

/** Why too few operations exceed the quantile; null if there are enough. @param {readonly Exceedances[]} seconds */
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
 * @param {Distribution} whole the stage, in any unit
 * @param {readonly Exceedances[]} seconds
 * @param {number} share such as 0.99
 * @returns {Estimate}
 */
export function estimateQuantile(whole, seconds, share) {
  const all = meanOf(seconds.map((second) => second.all));
  const exceeding = meanOf(seconds.map((second) => second.above)) / all;
  const { variance, freedom } = errorOfNoisyMean(seconds.map((second) => second.above - exceeding * second.all));
  const error = Math.sqrt(variance) / all;
  const log = Math.log(whole.quantile(share));
  return {
    log,
    freedom,
    below(errors) {
      const lower = share - errors * error;
      return lower <= 0 ? Infinity : Math.max(log - Math.log(whole.quantile(lower)), errors * RESOLUTION);
    },
    above(errors) {
      const upper = share + errors * error;
      return upper >= 1 ? Infinity : Math.max(Math.log(whole.quantile(upper)) - log, errors * RESOLUTION);
    },
  };
}

export class Distribution {
  #values;
  /** Cumulative counts: the number of values up to and including each. @type {number[]} */
  #upTo = [];

  /**
   * @param {readonly number[]} values in ascending order
   * @param {readonly number[]} counts one per value
   */
  constructor(values, counts) {
    this.#values = values;
    let sum = 0;
    for (const count of counts) {
      sum += count;
      this.#upTo.push(sum);
    }
  }

  get count() {
    return this.#upTo.at(-1) ?? 0;
  }

  /** @param {number} value */
  countAbove(value) {
    const index = firstIndex(this.#values, (each) => each > value);
    return this.count - (this.#upTo[index - 1] ?? 0);
  }

  /** The smallest value that reaches or exceeds this share of all values. @param {number} share 0 to 1 */
  quantile(share) {
    const index = firstIndex(this.#upTo, (upTo) => upTo >= share * this.count);
    return this.#values[Math.min(index, this.#values.length - 1)];
  }
}

/**
 * @param {readonly number[]} values
 * @param {(value: number) => boolean} isFound false up to some value, then true
 * @returns {number} index of the first value for which `isFound` is true; the length if there is none
 */
function firstIndex(values, isFound) {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    [low, high] = isFound(values[middle]) ? [low, middle] : [middle + 1, high];
  }
  return low;
}
