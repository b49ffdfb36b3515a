import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucketFindings } from '../../lib/result/bottleneck/bucket-findings.js';

/** @import { BucketSum } from '../../lib/result/result.js' */

/**
 * @param {string} bucket
 * @param {{ p50?: number, mean?: number, count?: number }} [figures]
 * @returns {BucketSum}
 */
function bucketOf(bucket, { p50 = 12.3, mean = p50, count = 1000 } = {}) {
  const latency = { count, minimum: 1, mean, p50, p90: p50, p95: p50, p99: p50, p999: p50, maximum: 100 };
  return {
    bucket,
    operations: count,
    failed: 0,
    failedAttempts: 0,
    throttled: 0,
    average: 10,
    latency,
    histogram: null,
  };
}

/** @param {Parameters<typeof bucketOf>[1]} figures of the tenth bucket */
function findingsOfTenth(figures) {
  const others = Array.from({ length: 9 }, (_, index) => bucketOf(`b${index + 1}`));
  return bucketFindings([...others, bucketOf('b10', figures)]);
}

test('one slow bucket of ten is named, with what the others took', () => {
  assert.deepEqual(findingsOfTenth({ p50: 41 }), [
    'bucket b10 is slower than the others: p50 41.0ms, the others 12.3ms',
  ]);
});

test('differences that may be down to chance are not reported', () => {
  for (const figures of [
    { p50: 18 },
    { p50: 41, count: 99 },
    // A cache that answers half of the reads, and answers that came very late.
    { p50: 41, mean: 14 },
    { p50: 12.4, mean: 50 },
  ]) {
    assert.deepEqual(findingsOfTenth(figures), [], JSON.stringify(figures));
  }
  const quick = [bucketOf('b1', { p50: 0.3 }), bucketOf('b2', { p50: 0.9 })];
  assert.deepEqual(bucketFindings(quick), [], 'what is shorter than a millisecond is the client');
});

test('a single bucket, and buckets without operations, are compared with nothing', () => {
  const empty = { ...bucketOf('b2'), operations: 0, latency: null };
  assert.deepEqual(bucketFindings([bucketOf('b1', { p50: 500 })]), []);
  assert.deepEqual(bucketFindings([bucketOf('b1', { p50: 500 }), empty]), []);
});

test('buckets that are equally fast are not set apart', () => {
  const figures = fc.record({
    p50: fc.double({ min: 0.1, max: 500, noNaN: true }),
    count: fc.nat(10_000),
  });
  fc.assert(
    fc.property(figures, fc.integer({ min: 1, max: 12 }), (alike, count) => {
      assert.deepEqual(bucketFindings(Array.from({ length: count }, (_, index) => bucketOf(`b${index}`, alike))), []);
    }),
  );
});
