import { LatencyHistogram } from '../../lib/measure/latency-histogram.js';
import { COUNT_NAMES } from '../../lib/result/counters.js';
import { toStageLatency } from '../../lib/result/histogram.js';
import { onlyBucket } from '../../lib/result/records.js';

/** @import { KindRecord, StageSnapshot } from '../../lib/result/records.js' */

/** @param {readonly number[]} latencies ms */
export function latenciesOf(latencies) {
  const histogram = new LatencyHistogram();
  latencies.forEach((latency) => histogram.record(latency));
  return histogram.toRecord();
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
  const [own, none] = [latenciesOf(latencies), latenciesOf([])];
  const kind = /** @type {KindRecord} */ (
    /** @type {unknown} */ ({
      operation: 'read',
      ...Object.fromEntries(COUNT_NAMES.map((name) => [name, 0])),
      ...{ operations, bytes: 1024 * operations, attempts: operations + failedAttempts, retries: failedAttempts },
      ...{ errors, failedAttempts, seconds: [], windows: [], cache: [], lastSuccessAt: 0 },
      latency: toStageLatency((name) => {
        const { latency, histogram } = name === 'operations' || name === 'attempts' ? own : none;
        return { summary: latency, encoded: histogram };
      }),
    })
  );
  return {
    isFinal: false,
    kinds: [kind],
    buckets: [onlyBucket('one', [kind])],
    connections: { opened: 2, reused: operations, open: 2 },
    inFlight: 1,
    loops: [0.5],
    ...overrides,
  };
}
