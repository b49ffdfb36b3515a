import { percent, rounded } from '../text/figures.js';

/** @import { BucketSum } from '../model/result.js' */

/** Medians and shares from fewer operations are unreliable. */
const MIN_OPERATIONS = 100;

/**
 * A bucket counts as slower if both its median and its mean latency are at least this many times those of the other
 * buckets. One alone proves nothing: a cache that serves about half of the reads can change only the median, and a few
 * very slow responses change only the mean.
 */
const SLOWER = 1.5;

/** A smaller difference may come from delays in the client. */
const MIN_DIFFERENCE_MS = 1;

/** Fewer failed attempts, or a smaller share of them, can be due to chance. */
const MIN_FAILED = 10;
const MIN_FAILED_SHARE = 0.01;

/** A bucket counts as failing more often if its share of failed attempts is at least this many times the others'. */
const MORE_OFTEN = 3;

/**
 * Finds buckets that behave differently from the others. Objects are spread evenly, so in a closed loop all buckets
 * have the same rate: only latencies and failures show a difference.
 *
 * @param {readonly BucketSum[]} buckets of a stage
 * @returns {string[]} a sentence for each bucket that is clearly slower than the others, or fails clearly more often
 */
export function bucketFindings(buckets) {
  return buckets.flatMap((bucket) => {
    const others = buckets.filter((other) => other !== bucket);
    const slower = comparedLatency(bucket, others);
    const failures = comparedFailures(bucket, others);
    if (slower !== null) {
      return [`bucket ${bucket.bucket} is slower than the others: ${[slower, failures].filter(Boolean).join('; ')}`];
    }
    return failures === null ? [] : [`bucket ${bucket.bucket} fails more often than the others: ${failures}`];
  });
}

/**
 * @param {BucketSum} bucket
 * @param {readonly BucketSum[]} others
 * @returns {string | null} the evidence; null if the bucket is not clearly slower
 */
function comparedLatency(bucket, others) {
  const [own] = knownLatencies([bucket]);
  const theirs = knownLatencies(others);
  if (own === undefined || theirs.length === 0) {
    return null;
  }
  const { p50, mean } = own;
  const otherP50 = median(theirs.map((latency) => latency.p50));
  const otherMean = median(theirs.map((latency) => latency.mean));
  const isSlower = p50 >= SLOWER * otherP50 && mean >= SLOWER * otherMean && p50 - otherP50 >= MIN_DIFFERENCE_MS;
  return isSlower ? `p50 ${p50.toFixed(1)}ms, the others ${otherP50.toFixed(1)}ms` : null;
}

/** Latencies of buckets with enough operations. @param {readonly BucketSum[]} buckets */
function knownLatencies(buckets) {
  return buckets.flatMap(({ latency }) => (latency === null || latency.count < MIN_OPERATIONS ? [] : [latency]));
}

/**
 * @param {BucketSum} bucket
 * @param {readonly BucketSum[]} others
 * @returns {string | null} the evidence; null if the bucket does not clearly fail more often
 */
function comparedFailures(bucket, others) {
  const { failedAttempts, throttled } = bucket;
  const [own, theirs] = [shareFailed([bucket]), shareFailed(others)];
  if (own === null || theirs === null || failedAttempts < MIN_FAILED) {
    return null;
  }
  if (own < Math.max(MIN_FAILED_SHARE, MORE_OFTEN * theirs)) {
    return null;
  }
  const kind = throttled === 0 ? '' : `, ${rounded(throttled)} of them throttled`;
  return `${rounded(failedAttempts)} of its ${rounded(attemptsOf(bucket))} attempts failed${kind} (the others: ${percent(theirs)})`;
}

/** Share of failed attempts, 0 to 1; null if there are too few attempts. @param {readonly BucketSum[]} buckets */
function shareFailed(buckets) {
  const attempts = buckets.reduce((sum, bucket) => sum + attemptsOf(bucket), 0);
  const failed = buckets.reduce((sum, { failedAttempts }) => sum + failedAttempts, 0);
  return attempts < MIN_OPERATIONS ? null : failed / attempts;
}

/** @param {BucketSum} bucket */
function attemptsOf({ operations, failedAttempts }) {
  return operations + failedAttempts;
}

/** @param {readonly number[]} values at least one */
function median(values) {
  const sorted = values.toSorted((one, other) => one - other);
  const upper = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[upper] : (sorted[upper - 1] + sorted[upper]) / 2;
}
