import { build, encodeIntoCompressedBase64 } from 'hdr-histogram-js';
import { formatLine } from '../../lib/log/log-line.js';
import { MEGABYTE, formatTimeOfDay } from '../../lib/log/units.js';
import { STAGES_WITHOUT_BYTES } from '../../lib/operations/registry.js';
import { secondsOfPlan } from './host-plan.js';

/**
 * @import { HostPlan, StagePlan } from './host-plan.js'
 * @import { LogRecord } from '../../lib/log/log-line.js'
 */

/**
 * A line of a log, and what it tells that is true.
 *
 * @typedef {object} TrueLine
 * @property {string} text
 * @property {Told} [tells]
 *
 * @typedef {{ stage: string, second: number, rate: number }} ToldSecond
 * @typedef {{ stage: string, start: number, stop: number, operations: number, retries: number }} ToldTotals
 * @typedef {{ stage: string, latencies: ReadonlyMap<number, number> }} ToldLatencies how often each latency in µs
 * @typedef {{ stage: string, peak: number }} ToldPeak
 * @typedef {ToldSecond | ToldTotals | ToldLatencies | ToldPeak} Told
 */

const PART_LENGTH = 800;

/** The old tool's interval drifts: its lines come a little more than a second apart. ms. */
const DRIFTING_INTERVAL = 1070;

/**
 * @param {HostPlan} plan
 * @returns {Generator<TrueLine, void, undefined>} the lines of a log
 */
export function* linesOfHost(plan) {
  if (plan.shape === 'own') {
    yield machineLine({
      kind: 'run',
      format: 1,
      run: plan.run,
      host: plan.host,
      shard: plan.shard,
      start: new Date(plan.start).toISOString(),
      clock: plan.clock,
      options: { size: plan.size, stages: plan.stages.map(({ stage }) => stage.toLowerCase()) },
    });
  }
  for (const stage of plan.stages) {
    yield line({ kind: 'schedule', stage: stage.stage, objects: 1_000_000, threads: 100, buckets: 1 });
    yield* plan.shape === 'own' ? ownStage(plan, stage) : oldStage(plan, stage);
  }
  if (plan.shape === 'own') {
    yield line({ kind: 'table-header' });
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
  for (const { second, operations, latency, retries } of secondsOfPlan(stagePlan)) {
    for (let retry = 0; retry < retries; retry += 1) {
      yield line({ kind: 'retrying', more: 0 });
    }
    yield secondLine(stage, second, operations, plan.size);
    latencies.set(latency, (latencies.get(latency) ?? 0) + operations);
    totals.operations += operations;
    totals.retries += retries;
    const isFull = second * 1000 >= start && (second + 1) * 1000 <= stop;
    peak = isFull ? Math.max(peak, operations) : peak;
  }
  yield summaryLine(totals, peak, plan.size);
  const { operations, retries } = totals;
  const bytes = STAGES_WITHOUT_BYTES.includes(stage) ? 0 : operations * plan.size;
  const attempts = operations + retries;
  const counts = { operations, bytes, attempts, retries, throttled: retries, failed: 0 };
  const facts = { kind: 'stage', stage, end: 'complete', start, stop, ...counts };
  yield { ...machineLine({ ...facts, clock: plan.clock, errors: { SlowDown: retries } }), tells: totals };
  const parts = encoded(latencies).match(new RegExp(`.{1,${PART_LENGTH}}`, 'g')) ?? [];
  for (const [place, data] of parts.entries()) {
    const part = machineLine({ kind: 'histogram', stage, unit: 'us', part: place + 1, of: parts.length, data });
    yield place + 1 === parts.length ? { ...part, tells: { stage, latencies } } : part;
  }
}

/**
 * Each line is a rate over the time since the line before.
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
      yield line({ kind: 'retrying', more: 0 });
    }
    yield secondLine(stage, Math.floor(time / 1000) - 1, rate, plan.size);
    totals.operations += operations;
    totals.retries += retries;
    peak = Math.max(peak, rate);
  }
  yield summaryLine(totals, peak, plan.size);
}

/**
 * @param {string} stage
 * @param {number} second
 * @param {number} rate ops/s
 * @param {number} size bytes
 * @returns {TrueLine}
 */
export function secondLine(stage, second, rate, size) {
  const time = formatTimeOfDay(second + 1);
  const megabytesPerSecond = (rate * size) / MEGABYTE;
  const record = { kind: /** @type {const} */ ('second'), time, stage, operationsPerSecond: rate, megabytesPerSecond };
  return { ...line(record), tells: { stage, second, rate } };
}

/**
 * @param {ToldTotals} totals
 * @param {number} peak ops/s
 * @param {number} size bytes
 * @returns {TrueLine}
 */
function summaryLine({ stage, start, stop, operations, retries }, peak, size) {
  const average = operations / ((stop - start) / 1000);
  const peakOperationsPerSecond = Math.round(Math.max(peak, average) * 10) / 10;
  const record = {
    kind: /** @type {const} */ ('summary'),
    stage,
    milliseconds: Math.round(stop - start),
    peakOperationsPerSecond,
    averageOperationsPerSecond: average,
    megabytes: (operations * size) / MEGABYTE,
    recoverableErrors: retries,
  };
  return { ...line(record), tells: { stage, peak: peakOperationsPerSecond } };
}

/** @param {ReadonlyMap<number, number>} latencies */
function encoded(latencies) {
  const histogram = build({ autoResize: false, highestTrackableValue: 3_600_000_000 });
  for (const [latency, count] of latencies) {
    if (count > 0) {
      histogram.recordValueWithCount(latency, count);
    }
  }
  return encodeIntoCompressedBase64(histogram);
}

/**
 * @param {LogRecord} record
 * @returns {TrueLine}
 */
function line(record) {
  return { text: formatLine(record) };
}

/**
 * @param {Record<string, unknown>} data
 * @returns {TrueLine}
 */
function machineLine(data) {
  return line({ kind: 'machine', data });
}
