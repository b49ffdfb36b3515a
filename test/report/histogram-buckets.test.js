import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BOUNDS, histogramOf } from '../../lib/report/telemetry/run-metrics.js';
import { latenciesOf } from '../helpers/stage-snapshot.js';

/** ms, from nothing to an hour. */
const anyLatency = fc.oneof(
  fc.double({ min: 0, max: 3_600_000, noNaN: true }),
  fc.double({ min: 0.001, max: 100, noNaN: true }),
  fc.constantFrom(0, 0.0004, 0.001, 1, 1000, 2000),
);

/** The resolution of our own histograms. */
const OWN_ERROR = 1.001;

test('every value is in the bucket whose bounds contain it, within the resolution of our own histograms', () => {
  fc.assert(
    fc.property(fc.array(anyLatency, { maxLength: 100 }), (latencies) => {
      const { buckets, count } = histogramOf(latenciesOf(latencies));
      assert.deepEqual(
        [buckets.boundaries, buckets.counts.length, count],
        [BOUNDS, BOUNDS.length + 1, latencies.length],
      );
      let upTo = 0;
      buckets.counts.forEach((inBucket, index) => {
        upTo += inBucket;
        const bound = (BOUNDS[index] ?? Infinity) * 1000;
        const below = latencies.filter((latency) => latency * OWN_ERROR + 0.001 <= bound).length;
        const atMost = latencies.filter((latency) => latency <= bound + 0.001).length;
        assert.ok(below <= upTo && upTo <= atMost, `${below} <= ${upTo} <= ${atMost} at ${bound} ms`);
      });
      assert.equal(upTo, latencies.length);
    }),
  );
});

test('sum and extremes are exact, in seconds; a histogram without values has no extremes', () => {
  const { sum, min, max } = histogramOf(latenciesOf([1.5, 250.25]));
  assert.deepEqual([sum, min, max], [0.25175, 0.0015, 0.25025]);
  const { count, min: least } = histogramOf(latenciesOf([]));
  assert.deepEqual([count, least], [0, undefined]);
});
