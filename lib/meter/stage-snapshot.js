import { addCounts } from '../model/counters.js';
import { failedAttemptsOf } from '../model/failed-attempts.js';
import { LATENCIES } from '../model/histogram.js';
import { joinValueCounts } from './latency-histogram.js';

/**
 * @import { StageCounts } from '../model/result.js'
 * @import { BucketSnapshot, KindSnapshot, StageSnapshot } from '../model/run-events.js'
 * @import { BucketMeter } from './part-meter.js'
 */

const BUCKET_COUNTS = /** @type {const} */ (['operations', 'failed', 'failedAttempts', 'throttled']);

/**
 * @param {readonly { bucket: string, meter: BucketMeter | null }[]} buckets `meter` is null for the only bucket, whose
 *   figures come from the kinds
 * @param {readonly KindSnapshot[]} kinds
 * @param {boolean} withLatencies
 * @returns {BucketSnapshot[]}
 */
export function bucketSnapshots(buckets, kinds, withLatencies) {
  return buckets.map(({ bucket, meter }) => {
    if (meter === null) {
      const latencies = withLatencies ? joinValueCounts(kinds.map((kind) => kind.latencies.operations)) : null;
      return { bucket, ...countsOfOnlyBucket(kinds), latencies };
    }
    const { operations, failed, failedAttempts, throttled } = meter;
    const latencies = withLatencies ? meter.latencies.valueCounts() : null;
    return { bucket, operations, failed, failedAttempts, throttled, latencies };
  });
}

/** @param {readonly KindSnapshot[]} kinds */
function countsOfOnlyBucket(kinds) {
  const { operations, failed, integrityErrors, throttled, ...counts } = sumOfCounts(kinds.map((kind) => kind.counts));
  const failedAttempts = failedAttemptsOf({ ...counts, operations });
  return { operations, failed: failed + integrityErrors, failedAttempts, throttled };
}

/**
 * @param {readonly StageSnapshot[]} parts snapshots of one stage from several workers or steps, at least one
 * @returns {StageSnapshot}
 */
export function sumOfSnapshots(parts) {
  if (parts.length === 1) {
    return parts[0];
  }
  const sumOf = (/** @type {(part: StageSnapshot) => number} */ figure) =>
    parts.reduce((sum, part) => sum + figure(part), 0);
  return {
    isFinal: false,
    kinds: parts[0].kinds.map(({ operation }, kind) =>
      sumOfKinds(
        operation,
        parts.map(({ kinds }) => kinds[kind]),
      ),
    ),
    buckets: parts[0].buckets.map(({ bucket }, slot) => ({
      bucket,
      .../** @type {Record<typeof BUCKET_COUNTS[number], number>} */ (
        Object.fromEntries(BUCKET_COUNTS.map((name) => [name, sumOf(({ buckets }) => buckets[slot][name])]))
      ),
      latencies: joinKnown(parts.map(({ buckets }) => buckets[slot].latencies)),
    })),
    connections: {
      opened: sumOf(({ connections }) => connections.opened),
      reused: sumOf(({ connections }) => connections.reused),
      open: sumOf(({ connections }) => connections.open ?? 0),
    },
    inFlight: sumOf(({ inFlight }) => inFlight),
    loops: parts.flatMap(({ loops }) => loops),
  };
}

/** @param {readonly BucketSnapshot['latencies'][]} parts */
function joinKnown(parts) {
  const known = parts.filter((part) => part !== null);
  return known.length === 0 ? null : joinValueCounts(known);
}

/**
 * @param {string} operation
 * @param {readonly KindSnapshot[]} parts
 * @returns {KindSnapshot}
 */
function sumOfKinds(operation, parts) {
  const statuses = [...new Set(parts.flatMap(({ cache = {} }) => Object.keys(cache)))];
  const ofStatus = (/** @type {string} */ status) => parts.flatMap(({ cache = {} }) => cache[status] ?? []);
  return {
    operation,
    counts: sumOfCounts(parts.map(({ counts }) => counts)),
    latencies: /** @type {KindSnapshot['latencies']} */ (
      Object.fromEntries(
        LATENCIES.map((name) => [name, joinValueCounts(parts.map(({ latencies }) => latencies[name]))]),
      )
    ),
    ...(statuses.length === 0
      ? {}
      : { cache: Object.fromEntries(statuses.map((status) => [status, joinValueCounts(ofStatus(status))])) }),
  };
}

/**
 * @param {readonly StageCounts[]} parts
 * @returns {StageCounts}
 */
function sumOfCounts(parts) {
  // The sum omits a counter only if one of the parts omits it.
  return /** @type {StageCounts} */ (addCounts(parts));
}
