import { Histogram } from './histogram.js';

/**
 * @import { SecondCount, SecondLatency, SecondResult } from './result.js'
 *
 * @typedef {object} MeasuredTime a stage without warm-up and drain
 * @property {number} startedAt epoch ms
 * @property {number} endedAt epoch ms
 * @property {number} average mean of the compared figure, such as ops/s
 */

/** @type {Readonly<SecondLatency>} */
const NO_LATENCY = Object.freeze({ p50: null, p99: null, maximum: null, histogram: null });

/**
 * Returns the largest count of any complete second, or the stage's mean if this is larger. The first and the last
 * second may be incomplete, and a short stage may have no complete second.
 *
 * @param {readonly SecondCount[]} seconds
 * @param {MeasuredTime} stage
 */
export function peakOf(seconds, stage) {
  return largestWholeSecond(seconds, stage, ({ operations }) => operations);
}

/**
 * @param {readonly SecondCount[]} seconds
 * @param {MeasuredTime} stage
 * @param {(count: SecondCount) => number} figureOf
 */
export function largestWholeSecond(seconds, { startedAt, endedAt, average }, figureOf) {
  return awayFromGaps(seconds)
    .filter(({ secondStart }) => secondStart * 1000 >= startedAt && (secondStart + 1) * 1000 <= endedAt)
    .reduce((peak, count) => Math.max(peak, figureOf(count)), average);
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

/** Adds the seconds of several hosts, and sorts them by time. @param {readonly (readonly SecondResult[])[]} parts */
export function addSeconds(parts) {
  /** @type {Map<number, SecondResult[]>} */
  const all = new Map();
  for (const second of parts.flat()) {
    const same = all.get(second.secondStart) ?? [];
    same.push(second);
    all.set(second.secondStart, same);
  }
  return [...all.values()].map(addSecond).sort((one, other) => one.secondStart - other.secondStart);
}

/** @param {readonly SecondResult[]} parts of one second, at least one */
export function addSecond(parts) {
  return {
    secondStart: parts[0].secondStart,
    operations: parts.reduce((sum, { operations }) => sum + operations, 0),
    bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
    ...addFailures(parts),
    ...addSecondLatencies(parts.filter(({ operations }) => operations > 0)),
  };
}

/**
 * @param {readonly Pick<SecondResult, 'failedAttempts' | 'throttled'>[]} parts of a second
 * @returns {Pick<SecondResult, 'failedAttempts' | 'throttled'>} empty without failures
 */
function addFailures(parts) {
  const failedAttempts = parts.reduce((sum, part) => sum + (part.failedAttempts ?? 0), 0);
  const throttled = parts.reduce((sum, part) => sum + (part.throttled ?? 0), 0);
  return failedAttempts === 0 ? {} : { failedAttempts, throttled };
}

/** Returns no latencies if any part has none. @param {readonly SecondLatency[]} parts of a second with operations */
function addSecondLatencies(parts) {
  const encoded = parts.flatMap(({ histogram }) => (typeof histogram === 'string' ? [histogram] : []));
  if (parts.length === 1) {
    const [{ p50 = null, p99 = null, maximum = null, histogram = null }] = parts;
    return { p50, p99, maximum, histogram };
  }
  if (encoded.length < parts.length || encoded.length === 0) {
    return NO_LATENCY;
  }
  const sum = new Histogram();
  encoded.forEach((histogram) => sum.addEncoded(histogram));
  const { p50 = 0, p99 = 0 } = sum.summary() ?? {};
  const maximum = Math.max(...parts.map((part) => part.maximum ?? 0));
  return { p50: Math.min(p50, maximum), p99: Math.min(p99, maximum), maximum, histogram: sum.encode() };
}
