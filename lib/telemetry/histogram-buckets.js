import { Histogram as Decoded } from '../model/histogram.js';

/**
 * @import { Histogram } from '@opentelemetry/sdk-metrics'
 * @import { LatencyRecord } from '../model/records.js'
 */

/** µs, from 100 µs to 80 s in Renard steps (R10): each bound is about 1.26 times the previous one. */
const BOUNDS_US = [1, 10, 100, 1000, 10_000, 100_000].flatMap((power) =>
  [100, 125, 160, 200, 250, 315, 400, 500, 630, 800].map((step) => power * step),
);

/** Upper bounds of the buckets in seconds, in ascending order. One more bucket holds larger values. */
export const BOUNDS = BOUNDS_US.map((bound) => bound / 1e6);

/**
 * In seconds. Values are up to 0.1% too large: one just below a bound may count above it.
 *
 * @type {(record: LatencyRecord) => Histogram}
 */
export function histogramOf({ latency, histogram }) {
  const { values, counts } = histogram === null ? { values: [], counts: [] } : Decoded.decode(histogram).valueCounts();
  const ofBuckets = Array.from({ length: BOUNDS_US.length + 1 }, () => 0);
  values.forEach((value, index) => {
    const bucket = BOUNDS_US.findIndex((bound) => value <= bound);
    ofBuckets[bucket === -1 ? BOUNDS_US.length : bucket] += counts[index];
  });
  const buckets = { boundaries: BOUNDS, counts: ofBuckets };
  if (latency === null) {
    return { buckets, count: 0, sum: 0 };
  }
  const { count, mean, minimum, maximum } = latency;
  return { buckets, count, sum: (mean * count) / 1000, min: minimum / 1000, max: maximum / 1000 };
}
