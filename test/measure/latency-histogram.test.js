import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LatencyHistogram } from '../../lib/measure/latency-histogram.js';
import { cases } from '../helpers/cases.js';

/** @import { LatencySummary } from '../../lib/result/result.js' */

const HOUR_MS = 3_600_000;
const PERCENTILES = /** @type {const} */ ([
  ['p50', 0.5],
  ['p90', 0.9],
  ['p95', 0.95],
  ['p99', 0.99],
  ['p999', 0.999],
]);

/** The histogram holds whole microseconds. */
const RESOLUTION_MS = 0.001;

const latency = fc.oneof(
  fc.double({ min: 0, max: 10, noNaN: true }),
  fc.double({ min: 0, max: HOUR_MS, noNaN: true }),
  fc.nat(5000),
);
const latencies = fc.array(latency, { minLength: 1, maxLength: 400 });

/** @param {readonly number[]} values */
function histogramOf(values) {
  const histogram = new LatencyHistogram();
  values.forEach((value) => histogram.record(value));
  return histogram;
}

/** @param {LatencyHistogram} histogram */
function summaryOf(histogram) {
  return /** @type {LatencySummary} */ (histogram.summary());
}

test('percentiles are within a thousandth of those of the sorted values', () => {
  fc.assert(
    fc.property(latencies, (values) => {
      const sorted = [...values].sort((one, other) => one - other);
      const summary = summaryOf(histogramOf(values));
      for (const [name, part] of PERCENTILES) {
        // A percentile between two values may be either of them.
        const rank = part * sorted.length;
        const lower = sorted[Math.max(Math.floor(rank) - 1, 0)];
        const upper = sorted[Math.min(Math.ceil(rank), sorted.length - 1)];
        assert.ok(summary[name] >= lower * 0.999 - RESOLUTION_MS, `${name} ${summary[name]} < ${lower}`);
        assert.ok(summary[name] <= upper * 1.001 + RESOLUTION_MS, `${name} ${summary[name]} > ${upper}`);
      }
    }),
  );
});

test('percentiles rise, and never leave the range from minimum to maximum', () => {
  fc.assert(
    fc.property(latencies, (values) => {
      const { minimum, p50, p90, p95, p99, p999, maximum } = summaryOf(histogramOf(values));
      const rising = [minimum, p50, p90, p95, p99, p999, maximum];
      assert.deepEqual(
        rising,
        [...rising].sort((one, other) => one - other),
      );
    }),
  );
});

test('adding a histogram is equivalent to recording all its values', () => {
  fc.assert(
    fc.property(latencies, fc.array(latency), (ours, theirs) => {
      const sum = histogramOf(ours);
      sum.add(histogramOf(theirs));
      const all = histogramOf([...ours, ...theirs]);
      const { mean, ...exact } = summaryOf(sum);
      const { mean: expectedMean, ...expected } = summaryOf(all);
      assert.deepEqual(exact, expected);
      assert.ok(Math.abs(mean - expectedMean) <= expectedMean * 1e-9);
      assert.equal(sum.encode(), all.encode());
    }),
    { numRuns: cases(30) },
  );
});

test('an operation longer than an hour counts as one hour, and its exact maximum is reported', () => {
  const summary = summaryOf(histogramOf([3 * HOUR_MS]));
  assert.deepEqual([summary.count, summary.maximum, summary.mean], [1, 3 * HOUR_MS, 3 * HOUR_MS]);
});

test('without a value there is no summary', () => {
  assert.equal(new LatencyHistogram().summary(), null);
});
