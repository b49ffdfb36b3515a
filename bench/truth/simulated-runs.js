import { Histogram } from '../../lib/result/histogram.js';
import { resultOf } from '../../test/result/results.js';
import { chance } from '../../test/helpers/chance.js';

/**
 * @import { Result } from '../../lib/result/result.js'
 *
 * @typedef {object} Pace how a store's rate varies from second to second
 * @property {string} name
 * @property {(draw: ReturnType<typeof chance>, seconds: number) => number[]} factors factor for each second; their mean
 *   is 1
 */

/** Standard deviation of the seconds, as a share of the mean. */
const DEVIATION = 0.05;

/**
 * @param {number} correlation between neighbouring seconds
 * @returns {Pace}
 */
export function wandering(correlation) {
  return {
    name: `correlation ${correlation}`,
    factors(draw, seconds) {
      let deviation = draw.normal();
      return Array.from({ length: seconds }, () => {
        deviation = correlation * deviation + Math.sqrt(1 - correlation ** 2) * draw.normal();
        return 1 + DEVIATION * deviation;
      });
    },
  };
}

const BURST = Object.freeze({ factor: 0.7, begins: 0.025, ends: 0.225 });

/** Sometimes, the store is slower for a few seconds. @type {Pace} */
export const bursts = {
  name: 'bursts',
  factors(draw, seconds) {
    const share = BURST.begins / (BURST.begins + BURST.ends);
    const mean = 1 - share * (1 - BURST.factor);
    let isSlow = draw.uniform() < share;
    return Array.from({ length: seconds }, () => {
      isSlow = isSlow ? draw.uniform() >= BURST.ends : draw.uniform() < BURST.begins;
      return ((isSlow ? BURST.factor : 1) / mean) * (1 + 0.01 * draw.normal());
    });
  },
};

export const PACES = [...[0, 0.5, 0.7, 0.9].map(wandering), bursts];

/**
 * Simulates a run whose result has a rate for each second, but no latencies.
 *
 * @param {object} run
 * @param {Pace} run.pace
 * @param {number} run.seed
 * @param {number} [run.seconds]
 * @param {number} [run.rate] ops/s
 * @returns {Result}
 */
export function simulatedRun({ pace, seed, seconds = 60, rate = 1000 }) {
  const operations = pace.factors(chance(seed), seconds).map((factor) => Math.max(Math.round(rate * factor), 0));
  return resultOf([{ rates: operations }]);
}

/**
 * Simulates the latencies of a run: lognormal around the pace of each second.
 *
 * @param {object} run
 * @param {Pace} run.pace
 * @param {number} run.seed
 * @param {number} [run.seconds]
 * @param {number} [run.operations] per second
 * @param {number} [run.median] ms
 * @returns {{ whole: Histogram, seconds: Histogram[] }}
 */
export function simulatedLatencies({ pace, seed, seconds = 60, operations = 200, median = 10 }) {
  const draw = chance(seed);
  const all = pace
    .factors(draw, seconds)
    .map((factor) => Array.from({ length: operations }, () => (median / factor) * Math.exp(0.5 * draw.normal())));
  return { whole: histogramOf(all.flat()), seconds: all.map(histogramOf) };
}

/** @param {readonly number[]} values */
function histogramOf(values) {
  const histogram = new Histogram();
  values.forEach((value) => histogram.record(value));
  return histogram;
}
