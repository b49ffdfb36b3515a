/** @import { BucketSum } from '../result.js' */

/** Medians from fewer operations are unreliable. */
const MIN_OPERATIONS = 100;

/**
 * A bucket counts as slower if both its median and its mean latency are at least this many times those of the other
 * buckets. One alone proves nothing: a cache that serves about half of the reads can change only the median, and a few
 * very slow responses change only the mean.
 */
const SLOWER = 1.5;

/** A smaller difference may come from delays in the client. */
const MIN_DIFFERENCE_MS = 1;

/**
 * Finds slow buckets. Objects are spread evenly, so in a closed loop all buckets have the same rate: only latencies,
 * which include refused attempts, show a difference.
 *
 * @param {readonly BucketSum[]} buckets of a stage
 * @returns {string[]} a sentence for each bucket that is clearly slower than the others
 */
export function bucketFindings(buckets) {
  const known = buckets.flatMap(({ bucket, latency }) =>
    latency === null || latency.count < MIN_OPERATIONS ? [] : [{ bucket, ...latency }],
  );
  return known.flatMap((own) => {
    const others = known.filter((other) => other !== own);
    const p50 = median(others.map((other) => other.p50));
    const mean = median(others.map((other) => other.mean));
    return own.p50 >= SLOWER * p50 && own.mean >= SLOWER * mean && own.p50 - p50 >= MIN_DIFFERENCE_MS
      ? [`bucket ${own.bucket} is slower than the others: p50 ${own.p50.toFixed(1)}ms, the others ${p50.toFixed(1)}ms`]
      : [];
  });
}

/** @param {readonly number[]} values @returns {number} NaN without values */
function median(values) {
  const sorted = values.toSorted((one, other) => one - other);
  const upper = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[upper] : (sorted[upper - 1] + sorted[upper]) / 2;
}
