import { build, encodeIntoCompressedBase64 } from 'hdr-histogram-js';
import { machineLine, retryingLine, scheduleLine, secondLine, summaryLine } from '../../lib/result/log/lines.js';
import { recordLines } from '../../lib/result/log/record-lines.js';
import { LOG_FORMAT } from '../../lib/result/log/run-log.js';
import { COUNT_NAMES } from '../../lib/result/counters.js';
import { Histogram, UNKNOWN_LATENCY } from '../../lib/result/histogram.js';
import { STAGES_WITHOUT_BYTES } from '../../lib/load/operations/registry.js';
import { secondsOfPlan } from './host-plan.js';

/** @import { HostPlan, StagePlan } from './host-plan.js' */

/**
 * A log line, and the true statements in it.
 *
 * @typedef {object} TrueLine
 * @property {string} text
 * @property {Told[]} [tells]
 *
 * @typedef {{ stage: string, second: number, rate: number }} ToldSecond
 * @typedef {{ stage: string, start: number, stop: number, operations: number, retries: number }} ToldTotals
 * @typedef {{ stage: string, latencies: ReadonlyMap<number, number> }} ToldLatencies counts by latency in µs
 * @typedef {{ stage: string, peak: number }} ToldPeak
 * @typedef {ToldSecond | ToldTotals | ToldLatencies | ToldPeak} Told
 */

/** @type {Readonly<Record<string, number>>} */
const NOTHING_COUNTED = Object.freeze(Object.fromEntries(COUNT_NAMES.map((name) => [name, 0])));

/** The old tool's interval drifts: its lines are a little more than a second apart. ms */
const DRIFTING_INTERVAL = 1070;

/**
 * @param {HostPlan} plan
 * @returns {Generator<TrueLine, void, undefined>}
 */
export function* linesOfHost(plan) {
  const { run, host, shard, clock, size } = plan;
  if (plan.shape === 'own') {
    const options = { size, stages: plan.stages.map(({ stage }) => stage.toLowerCase()) };
    const facts = { run, host, shard, start: new Date(plan.start).toISOString(), clock, options };
    yield { text: machineLine({ kind: 'run', format: LOG_FORMAT, ...facts }) };
  }
  for (const stage of plan.stages) {
    yield { text: scheduleLine({ stage: stage.stage, objects: 1_000_000, threads: 100, buckets: 1 }) };
    yield* plan.shape === 'own' ? ownStage(plan, stage) : oldStage(plan, stage);
  }
  if (plan.shape === 'own') {
    yield { text: machineLine({ kind: 'end' }) };
  }
}

/**
 * @param {HostPlan} plan
 * @param {StagePlan} stagePlan
 * @returns {Generator<TrueLine, void, undefined>}
 */
function* ownStage(plan, stagePlan) {
  const { stage, start, stop } = stagePlan;
  /** @type {Map<number, number>} */
  const latencies = new Map();
  const totals = { stage, start, stop, operations: 0, retries: 0 };
  let peak = 0;
  let seconds = noSeconds();
  for (const { second, operations, latency, retries } of secondsOfPlan(stagePlan)) {
    if (seconds.operations.length === 60) {
      yield { text: machineLine({ kind: 'seconds', stage, ...seconds }) };
      seconds = noSeconds();
    }
    seconds.from ??= second;
    seconds.operations.push(operations);
    seconds.bytes.push(STAGES_WITHOUT_BYTES.includes(stage) ? 0 : operations * plan.size);
    for (let retry = 0; retry < retries; retry += 1) {
      yield { text: retryingLine(1) };
    }
    yield secondOf(stage, second, operations, plan.size);
    latencies.set(latency, (latencies.get(latency) ?? 0) + operations);
    totals.operations += operations;
    totals.retries += retries;
    const isFull = second * 1000 >= start && (second + 1) * 1000 <= stop;
    peak = isFull ? Math.max(peak, operations) : peak;
  }
  yield summaryOf(totals, peak, plan.size);
  const { operations, retries } = totals;
  const bytes = STAGES_WITHOUT_BYTES.includes(stage) ? 0 : operations * plan.size;
  const attempts = operations + retries;
  const counts = { ...NOTHING_COUNTED, operations, bytes, attempts, retries, throttled: retries };
  const end = { end: 'complete', startedAt: start, endedAt: stop, duration: stop - start, peak: peakOf(totals, peak) };
  const average = (1000 * operations) / (stop - start);
  const fields = { ...end, average, ...counts, errors: { SlowDown: retries } };
  const [text] = recordLines(stage, { ...fields, latency: latencyOf(latencies) }, { lines: 0, seconds });
  yield { text, tells: [totals, { stage, latencies }] };
}

/** @returns {{ from: number | null, operations: number[], bytes: number[] }} */
function noSeconds() {
  return { from: null, operations: [], bytes: [] };
}

/**
 * Each line is a rate over the time since the previous line.
 *
 * @param {HostPlan} plan
 * @param {StagePlan} stagePlan
 * @returns {Generator<TrueLine, void, undefined>}
 */
function* oldStage(plan, stagePlan) {
  const { stage, start, stop } = stagePlan;
  const totals = { stage, start, stop, operations: 0, retries: 0 };
  let peak = 0;
  for (let time = start + DRIFTING_INTERVAL; time < stop; time += DRIFTING_INTERVAL) {
    const { operations, retries } = stagePlan.at(Math.floor(time / 1000));
    const rate = Math.round(operations * (10_000 / DRIFTING_INTERVAL)) / 10;
    for (let retry = 0; retry < retries; retry += 1) {
      yield { text: retryingLine(1) };
    }
    yield secondOf(stage, Math.floor(time / 1000) - 1, rate, plan.size);
    totals.operations += operations;
    totals.retries += retries;
    peak = Math.max(peak, rate);
  }
  yield summaryOf(totals, peak, plan.size);
}

/**
 * @param {string} stage
 * @param {number} second
 * @param {number} rate ops/s
 * @param {number} size bytes
 * @returns {TrueLine}
 */
export function secondOf(stage, second, rate, size) {
  const text = secondLine(stage, { secondStart: second, operations: rate, bytes: rate * size });
  return { text, tells: [{ stage, second, rate }] };
}

/**
 * @param {ToldTotals} totals
 * @param {number} best ops/s in the peak second
 * @param {number} size bytes
 * @returns {TrueLine}
 */
function summaryOf(totals, best, size) {
  const { stage, start, stop, operations, retries } = totals;
  const peak = peakOf(totals, best);
  const duration = stop - start;
  const average = operations / (duration / 1000);
  const text = summaryLine(stage, { duration, peak, average, bytes: operations * size, retries });
  return { text, tells: [{ stage, peak }] };
}

/**
 * @param {ToldTotals} totals
 * @param {number} best ops/s in the peak second
 */
function peakOf({ start, stop, operations }, best) {
  return Math.round(Math.max(best, operations / ((stop - start) / 1000)) * 10) / 10;
}

/** @param {ReadonlyMap<number, number>} latencies counts by latency in µs */
function latencyOf(latencies) {
  const histogram = build({ autoResize: false, highestTrackableValue: 3_600_000_000 });
  for (const [latency, count] of latencies) {
    if (count > 0) {
      histogram.recordValueWithCount(latency, count);
    }
  }
  const operations = encodeIntoCompressedBase64(histogram);
  const summary = Histogram.decode(operations).summary();
  return { ...UNKNOWN_LATENCY, operations: summary, histogram: { ...UNKNOWN_LATENCY.histogram, operations } };
}
