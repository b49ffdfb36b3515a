import { COUNT_NAMES } from '../../lib/result/counters.js';
import { UNKNOWN_LATENCY } from '../../lib/result/histogram.js';
import { FORMAT } from '../../lib/result/schema.js';
import { LatencyHistogram } from '../../lib/measure/latency-histogram.js';

/** @import { HostResult, Result, SecondResult, StageSum } from '../../lib/result/result.js' */

export const STARTED = Date.UTC(2026, 0, 31, 12);
export const OBJECT_SIZE = 16 * 1024;

/**
 * @typedef {object} StagePlan
 * @property {string} [name]
 * @property {readonly number[]} rates operations per second
 * @property {(second: number) => readonly number[]} [latencies] in ms, of the operations of a second; unknown by default
 * @property {Partial<StageSum>} [facts] replace those that follow from the plan
 */

/**
 * A result as written by `--json`, with everything a comparison looks at.
 *
 * @param {readonly StagePlan[]} stages
 * @param {Partial<Result>} [facts]
 * @returns {Result}
 */
export function resultOf(stages, facts = {}) {
  /** @type {Omit<HostResult, 'merge'>} */
  const host = {
    run: 'run-1',
    host: 'fra-1',
    shard: '0/1',
    start: new Date(STARTED).toISOString(),
    clock: null,
    versions: { 'r2-benchmark': '1.0.0', node: '20.19.5' },
    options: { objects: 10_000, threads: 50, size: OBJECT_SIZE, client: 'direct', duration: null },
  };
  const known = Object.fromEntries(Object.entries(facts).filter(([name]) => Object.hasOwn(host, name)));
  return {
    format: FORMAT,
    ...host,
    problems: [],
    cleanup: null,
    requests: null,
    hosts: [{ ...host, ...known }],
    ...facts,
    stages: stages.map(stageOf),
  };
}

/**
 * @param {StagePlan} plan
 * @returns {StageSum}
 */
export function stageOf({ name = 'Read', rates, latencies, facts = {} }) {
  const whole = latencies === undefined ? null : new LatencyHistogram();
  const seconds = rates.map((operations, index) => {
    const second = latencies === undefined ? null : new LatencyHistogram();
    latencies?.(index).forEach((latency) => second?.record(latency));
    if (second !== null) {
      whole?.add(second);
    }
    return secondOf(index, operations, second);
  });
  const operations = rates.reduce((sum, rate) => sum + rate, 0);
  const average = operations / Math.max(rates.length, 1);
  return {
    stage: name,
    end: 'complete',
    threads: 50,
    objectSize: OBJECT_SIZE,
    startedAt: STARTED,
    endedAt: STARTED + 1000 * rates.length,
    duration: 1000 * rates.length,
    ...{ warmup: 0, drain: 0, average, averageBytes: average * OBJECT_SIZE, peak: Math.max(...rates) },
    ...Object.fromEntries(COUNT_NAMES.map((count) => [count, 0])),
    ...{ operations, bytes: operations * OBJECT_SIZE, attempts: operations, failedAttempts: 0, errors: {} },
    load: { mode: 'closed loop', rate: null, arrival: null },
    clientLoad: { cpuUser: operations / 20, cpuSystem: 0, loops: 1, eventLoopUtilization: 0.5, busyLoops: 0.5 },
    seconds,
    latency: {
      ...UNKNOWN_LATENCY,
      operations: whole && whole.summary(),
      histogram: { ...UNKNOWN_LATENCY.histogram, operations: whole && whole.encode() },
    },
    ...facts,
  };
}

/**
 * @param {number} index
 * @param {number} operations
 * @param {LatencyHistogram | null} latencies
 * @returns {SecondResult}
 */
function secondOf(index, operations, latencies) {
  const { p50 = null, p99 = null, maximum = null } = latencies?.summary() ?? {};
  return {
    secondStart: STARTED / 1000 + index,
    operations,
    bytes: operations * OBJECT_SIZE,
    ...{ p50, p99, maximum, histogram: latencies === null || latencies.count === 0 ? null : latencies.encode() },
  };
}

/**
 * @param {number} length
 * @param {(index: number) => number} [rate]
 * @returns {number[]} rates that vary a little from second to second
 */
export function ratesOf(length, rate = () => 1000) {
  return Array.from({ length }, (_, index) => rate(index) + [0, 7, -5, 3, -8, 6, -3][index % 7]);
}
