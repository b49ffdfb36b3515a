import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BucketMeter, bucketMeters } from '../../lib/measure/part-meter.js';
import { ALL_TIME } from '../helpers/manual-clock.js';

test('bucket rates exclude warm-up and drain, and bucket latencies exclude the warm-up', () => {
  const meter = new BucketMeter({ ...ALL_TIME, measuredFrom: 1000, measuredUntil: 2000 });
  for (const finishedAt of [999, 1000, 2000, 2001]) {
    meter.succeeded({ startedAt: finishedAt - 10, finishedAt }, 7);
  }
  assert.deepEqual([meter.operations, meter.measured, meter.latencies.count], [4, 2, 3]);
});

test('the only bucket of a run is not counted separately', () => {
  assert.equal(bucketMeters(1, ALL_TIME), null);
  assert.equal(bucketMeters(3, ALL_TIME)?.length, 3);
});
