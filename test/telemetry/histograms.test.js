import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  CLASSIC_BOUNDS,
  EXPONENTIAL_SCALE,
  NO_VALUES,
  classicBuckets,
  exponentialBuckets,
  sumOfValues,
} from '../../lib/telemetry/histograms.js';
import { valuesOf } from '../helpers/stage-snapshot.js';

/** ms, from nothing to an hour. */
const anyLatency = fc.oneof(
  fc.double({ min: 0, max: 3_600_000, noNaN: true }),
  fc.double({ min: 0.001, max: 100, noNaN: true }),
  fc.constantFrom(0, 0.0004, 0.001, 1, 1000, 2000),
);
const anyLatencies = fc.array(anyLatency, { maxLength: 100 });

/** What our own histograms do not tell apart. */
const OWN_ERROR = 1.001;

const BASE = 2 ** (2 ** -EXPONENTIAL_SCALE);

test('every value is in one exponential bucket, whose bounds hold it as far as our own histograms tell', () => {
  fc.assert(
    fc.property(anyLatencies, (latencies) => {
      const { zeroCount, offset, bucketCounts } = exponentialBuckets(valuesOf(latencies));
      assert.equal(zeroCount + bucketCounts.reduce((sum, count) => sum + count, 0), latencies.length);
      const left = latencies.map((latency) => latency / 1000).toSorted((one, other) => one - other);
      const zeros = left.splice(0, zeroCount);
      assert.ok(zeros.every((value) => value <= 0.5e-6));
      bucketCounts.forEach((count, place) => {
        const [low, high] = [BASE ** (offset + place), BASE ** (offset + place + 1)];
        for (const value of left.splice(0, count)) {
          // A value is rounded to whole microseconds, too.
          assert.ok(
            value * OWN_ERROR + 1e-6 >= low && value <= high * OWN_ERROR + 1e-6,
            `${low} < ${value} <= ${high}`,
          );
        }
      });
    }),
  );
});

test('the first and the last exponential bucket hold something', () => {
  fc.assert(
    fc.property(anyLatencies, (latencies) => {
      const { bucketCounts } = exponentialBuckets(valuesOf(latencies));
      assert.ok(bucketCounts.length === 0 || (bucketCounts[0] > 0 && (bucketCounts.at(-1) ?? 0) > 0));
    }),
  );
});

test('classic buckets count every value that is at most their bound, as far as our own histograms tell', () => {
  fc.assert(
    fc.property(anyLatencies, (latencies) => {
      const counts = classicBuckets(valuesOf(latencies));
      assert.equal(counts.length, CLASSIC_BOUNDS.length);
      counts.forEach((count, place) => {
        const bound = CLASSIC_BOUNDS[place] * 1000;
        const below = latencies.filter((latency) => latency * OWN_ERROR + 0.001 <= bound).length;
        const atMost = latencies.filter((latency) => latency <= bound + 0.001).length;
        assert.ok(below <= count && count <= atMost, `${below} <= ${count} <= ${atMost} at ${bound} ms`);
        assert.ok(place === 0 || count >= counts[place - 1]);
      });
    }),
  );
});

test('the bounds of classic buckets rise by a quarter, and are written as a person would', () => {
  const ratios = CLASSIC_BOUNDS.slice(1).map((bound, place) => bound / CLASSIC_BOUNDS[place]);
  assert.ok(ratios.every((ratio) => ratio > 1.2 && ratio < 1.3));
  assert.deepEqual([CLASSIC_BOUNDS[0], CLASSIC_BOUNDS.at(-1)], [0.0001, 80]);
  assert.ok(CLASSIC_BOUNDS.every((bound) => /^[0-9.]{1,8}$/.test(String(bound))));
});

test('values of two parts are added up, and none is lost', () => {
  fc.assert(
    fc.property(anyLatencies, anyLatencies, (one, other) => {
      const sum = sumOfValues(valuesOf(one), valuesOf(other));
      const whole = valuesOf([...one, ...other]);
      assert.deepEqual(exponentialBuckets(sum), exponentialBuckets(whole));
      assert.deepEqual([sum.count, sum.minimum, sum.maximum], [whole.count, whole.minimum, whole.maximum]);
      assert.ok(Math.abs(sum.sum - whole.sum) <= 1e-9 * whole.sum);
    }),
  );
  assert.deepEqual(sumOfValues(NO_VALUES, NO_VALUES), NO_VALUES);
});
