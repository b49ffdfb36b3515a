import { LatencyHistogram } from '../../lib/meter/latency-histogram.js';
import { COUNT_NAMES } from '../../lib/model/counters.js';

/**
 * @import { StageSnapshot } from '../../lib/model/run-events.js'
 * @import { StageCounts } from '../../lib/model/result.js'
 */

/**
 * @param {readonly number[]} latencies ms
 * @returns {ReturnType<LatencyHistogram['valueCounts']>}
 */
export function valuesOf(latencies) {
  const histogram = new LatencyHistogram();
  latencies.forEach((latency) => histogram.record(latency));
  return histogram.valueCounts();
}

/**
 * @param {object} seen
 * @param {readonly number[]} [seen.latencies] ms, of operations with one attempt each
 * @param {Record<string, number>} [seen.errors] failed attempts
 * @param {Partial<StageSnapshot>} [overrides]
 * @returns {StageSnapshot}
 */
export function stageSnapshot({ latencies = [], errors = {} }, overrides = {}) {
  const failedAttempts = Object.values(errors).reduce((sum, count) => sum + count, 0);
  const operations = latencies.length;
  const counts = /** @type {StageCounts} */ ({
    ...Object.fromEntries(COUNT_NAMES.map((name) => [name, 0])),
    ...{ operations, bytes: 1024 * operations, attempts: operations + failedAttempts, retries: failedAttempts, errors },
  });
  const values = valuesOf(latencies);
  const none = valuesOf([]);
  const others = { firstByte: none, startDelay: none, parts: none, binding: none, bindingFirstByte: none };
  const ofKind = { operations: values, attempts: values, ...others };
  return {
    isFinal: false,
    kinds: [{ operation: 'read', counts, latencies: ofKind }],
    buckets: [{ bucket: 'one', operations, failed: 0, failedAttempts, throttled: 0, latencies: null }],
    connections: { opened: 2, reused: operations, open: 2 },
    inFlight: 1,
    loops: [0.5],
    ...overrides,
  };
}
