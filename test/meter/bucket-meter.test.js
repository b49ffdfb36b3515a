import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BucketMeter, bucketMeters, sumOfBuckets } from '../../lib/meter/part-meter.js';
import { cases } from '../helpers/cases.js';

const operation = fc.record({
  worker: fc.nat(2),
  startedAt: fc.integer({ min: 0, max: 1000 }),
  latency: fc.integer({ min: 1, max: 5000 }),
});

test('the counts of several workers in a bucket add up to those of a single worker', () => {
  const time = { measuredFrom: 500, measuredUntil: 3000 };
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 40 }), (operations) => {
      const whole = new BucketMeter(time);
      const workers = Array.from({ length: 3 }, () => new BucketMeter(time));
      for (const { worker, startedAt, latency } of operations) {
        for (const meter of [whole, workers[worker]]) {
          meter.succeeded({ startedAt, finishedAt: startedAt + latency }, 7);
          meter.failedAttempts += 2;
          meter.throttled += 1;
          meter.failed += 1;
        }
      }
      const [{ meter: sum }] = sumOfBuckets(
        workers.map((meter) => [{ bucket: 'one', state: structuredClone(meter.toState()) }]),
      );
      assert.ok(sum !== null);
      assert.deepEqual(sum.toState(), whole.toState());
      assert.equal(sum.measured, whole.measured);
    }),
    { numRuns: cases(60) },
  );
});

test('bucket rates exclude warm-up and drain, and bucket latencies exclude the warm-up', () => {
  const meter = new BucketMeter({ measuredFrom: 1000, measuredUntil: 2000 });
  for (const finishedAt of [999, 1000, 2000, 2001]) {
    meter.succeeded({ startedAt: finishedAt - 10, finishedAt }, 7);
  }
  assert.deepEqual([meter.operations, meter.measured, meter.latencies.count], [4, 2, 3]);
});

test('the only bucket of a run is not counted separately', () => {
  assert.equal(bucketMeters(1), null);
  assert.equal(bucketMeters(3)?.length, 3);
  assert.deepEqual(sumOfBuckets([[{ bucket: 'one', state: null }]]), [{ bucket: 'one', meter: null }]);
});
