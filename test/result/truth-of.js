import { build } from 'hdr-histogram-js';

// The truth about generated logs, computed from scratch without regard for speed or memory.

/**
 * @import { Told, ToldTotals } from '../helpers/host-lines.js'
 *
 * @typedef {object} StageTruth what the remaining lines of one host show of a stage
 * @property {'own' | 'old'} shape
 * @property {Map<number, number[]>} rates by second
 * @property {ToldTotals | null} totals
 * @property {number | null} peak from the summary
 * @property {ReadonlyMap<number, number> | null} latencies
 */

/** @typedef {{ shape: 'own' | 'old', told: readonly Told[] }} HostTruth */

/**
 * @param {readonly HostTruth[]} hosts
 * @param {string} stage
 * @returns {StageTruth[]} of hosts with data on the stage
 */
export function stageTruths(hosts, stage) {
  return hosts.flatMap(({ shape, told }) => {
    const ofStage = told.filter((tells) => tells.stage === stage);
    /** @type {StageTruth} */
    const truth = { shape, rates: new Map(), totals: null, peak: null, latencies: null };
    for (const tells of ofStage) {
      if ('rate' in tells) {
        truth.rates.set(tells.second, [...(truth.rates.get(tells.second) ?? []), tells.rate]);
      } else if ('operations' in tells) {
        truth.totals = tells;
      } else if ('latencies' in tells) {
        truth.latencies = tells.latencies;
      } else {
        truth.peak = tells.peak;
      }
    }
    return ofStage.length === 0 ? [] : [truth];
  });
}

/**
 * @param {StageTruth} truth
 * @param {number} second
 */
function rateIn({ rates }, second) {
  const lines = rates.get(second) ?? [];
  return lines.length === 0 ? 0 : lines.reduce((sum, rate) => sum + rate) / lines.length;
}

/**
 * @param {StageTruth} truth
 * @returns {number[]} seconds entirely inside the stage
 */
function fullSeconds({ shape, rates, totals }) {
  const seconds = [...rates.keys()];
  if (shape === 'old') {
    return seconds;
  }
  const start = totals === null ? (Math.min(...seconds) + 0.5) * 1000 : totals.start;
  const stop = totals === null ? (Math.max(...seconds) + 0.5) * 1000 : totals.stop;
  return seconds.filter((second) => second * 1000 >= start && (second + 1) * 1000 <= stop);
}

/** @param {readonly StageTruth[]} truths */
function allSeconds(truths) {
  return [...new Set(truths.flatMap(({ rates }) => [...rates.keys()]))].sort((one, other) => one - other);
}

/**
 * @param {readonly StageTruth[]} truths
 * @param {number} second
 */
function sumIn(truths, second) {
  return truths.reduce((sum, truth) => sum + rateIn(truth, second), 0);
}

/**
 * @param {readonly StageTruth[]} truths
 * @returns {number[]} seconds that are not at the edge of every stage, unless a stage has only edges
 */
function wholeSeconds(truths) {
  return truths.flatMap((truth) => {
    const full = fullSeconds(truth);
    return full.length > 0 ? full : [...truth.rates.keys()];
  });
}

/**
 * @param {readonly StageTruth[]} truths
 * @returns {number} ops/s
 */
export function peakOf(truths) {
  const means = truths.length === 1 ? truths.map(({ peak }) => peak ?? 0) : [meanOf(truths)];
  return Math.max(0, ...wholeSeconds(truths).map((second) => sumIn(truths, second)), ...means);
}

/**
 * @param {readonly StageTruth[]} truths
 * @returns {number} ops/s from the first start to the last stop; 0 if one is unknown
 */
function meanOf(truths) {
  const all = truths.flatMap(({ totals }) => totals ?? []);
  const time = Math.max(...all.map(({ stop }) => stop)) - Math.min(...all.map(({ start }) => start));
  return all.length < truths.length ? 0 : (1000 * all.reduce((sum, { operations }) => sum + operations, 0)) / time;
}

/**
 * @param {readonly StageTruth[]} truths
 * @returns {number | null} ops/s of the best ten consecutive seconds; null if no ten are whole
 */
export function sustainedOf(truths) {
  const rowsIn = (/** @type {Set<number>} */ seconds) =>
    [...seconds]
      .map((first) => Array.from({ length: 10 }, (_, index) => first + index))
      .filter((row) => row.every((second) => seconds.has(second)));
  const sums = rowsIn(new Set(allSeconds(truths))).map(
    (row) => row.reduce((sum, second) => sum + sumIn(truths, second), 0) / 10,
  );
  return rowsIn(new Set(wholeSeconds(truths))).length === 0 ? null : Math.max(...sums);
}

/**
 * @param {readonly StageTruth[]} truths
 * @returns {number | null} mean ops/s over the seconds entirely inside the stage of every host
 */
export function meanTogetherOf(truths) {
  const full = truths.map((truth) => new Set(fullSeconds(truth)));
  const together = allSeconds(truths).filter((second) => full.every((seconds) => seconds.has(second)));
  const sum = together.reduce((total, second) => total + sumIn(truths, second), 0);
  return together.length === 0 ? null : sum / together.length;
}

/**
 * @param {readonly StageTruth[]} truths
 * @returns {{ count: number, p50: number, p90: number, p95: number, p99: number, p999: number } | null} from one histogram of the
 *   latencies of all operations, in ms, of the hosts that have them; null if none has
 */
export function latencyOf(truths) {
  const histogram = build({ bitBucketSize: 64, autoResize: false, highestTrackableValue: 3_600_000_000 });
  for (const { latencies } of truths) {
    for (const [value, count] of latencies ?? []) {
      for (let time = 0; time < count; time += 1) {
        histogram.recordValue(value);
      }
    }
  }
  const at = (/** @type {number} */ percentile) => histogram.getValueAtPercentile(percentile) / 1000;
  const { totalCount: count } = histogram;
  return count === 0 ? null : { count, p50: at(50), p90: at(90), p95: at(95), p99: at(99), p999: at(99.9) };
}
