import { addRecords } from './add.js';
import { SCHEMA } from './schema.js';

/**
 * @import { LatencySummary, SecondCount, SecondLatency, SecondResult } from './result.js'
 *
 * @typedef {object} MeasuredTime a stage without warm-up and drain
 * @property {number} startedAt epoch ms
 * @property {number} endedAt epoch ms
 * @property {number} average mean of the compared figure, such as ops/s
 */

/** @type {Readonly<SecondLatency>} */
export const NO_LATENCY = Object.freeze({ p50: null, p99: null, maximum: null, histogram: null });

/**
 * Returns the largest count of any complete second, or the stage's mean if this is larger. The first and the last
 * second may be incomplete, and a short stage may have no complete second.
 *
 * @param {readonly SecondCount[]} seconds
 * @param {MeasuredTime} stage
 */
export function peakOf(seconds, stage) {
  const { startedAt, endedAt, average } = stage;
  return awayFromGaps(seconds)
    .filter(({ secondStart }) => secondStart * 1000 >= startedAt && (secondStart + 1) * 1000 <= endedAt)
    .reduce((peak, { operations }) => Math.max(peak, operations), average);
}

/**
 * Omits the seconds next to a gap: the process may have been suspended for a part of them.
 *
 * @template {Pick<SecondCount, 'secondStart'>} Second
 * @param {readonly Second[]} seconds in order
 * @returns {Second[]}
 */
export function awayFromGaps(seconds) {
  return seconds.filter(({ secondStart }, index) => {
    const [before, after] = [seconds[index - 1], seconds[index + 1]];
    return !(before?.secondStart < secondStart - 1 || after?.secondStart > secondStart + 1);
  });
}

/** @param {readonly SecondResult[]} parts of one second, at least one */
export function addSecond(parts) {
  /** @type {SecondResult & { latency?: LatencySummary | null }} */
  const { latency, ...sum } = addRecords(SCHEMA.$defs.second, parts);
  if (latency === undefined) {
    return sum;
  }
  const { maximum } = sum;
  return latency === null || maximum === null
    ? { ...sum, ...NO_LATENCY }
    : { ...sum, p50: Math.min(latency.p50, maximum), p99: Math.min(latency.p99, maximum) };
}
