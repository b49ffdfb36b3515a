import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BucketMeter } from '../../lib/meter/part-meter.js';
import { StageMeter } from '../../lib/meter/stage-meter.js';
import { bucketSnapshots, sumOfSnapshots } from '../../lib/meter/stage-snapshot.js';
import { ManualClock } from '../helpers/manual-clock.js';
import { stageSnapshot } from '../helpers/stage-snapshot.js';

test('a snapshot has the meter’s counts so far and the latencies of its histograms', () => {
  const clock = new ManualClock(1_700_000_000_000);
  const meter = new StageMeter(clock, clock.now());
  const at = clock.now();
  meter.succeeded({ startedAt: at, attemptStartedAt: at, finishedAt: at + 2 }, 100);
  meter.attemptFailed('timeout', 5, at + 5);
  meter.succeeded({ startedAt: at, attemptStartedAt: at + 6, finishedAt: at + 9 }, 100);
  meter.answered(1, at + 9);
  const { operation, counts, latencies } = meter.snapshot('read');
  assert.deepEqual([operation, counts], ['read', meter.counts()]);
  const sums = meter.latencies();
  for (const name of /** @type {const} */ (['operations', 'attempts', 'firstByte', 'startDelay'])) {
    const { count, sum, minimum, maximum, values, counts: each } = latencies[name];
    assert.deepEqual(
      [count, sum, maximum],
      [sums[name].count, sums[name].sum, sums[name].summary()?.maximum ?? 0],
      name,
    );
    assert.equal(minimum, sums[name].summary()?.minimum ?? Infinity);
    const [own, whole] = [{ values, counts: each }, sums[name].valueCounts()].map((parts) =>
      parts.values.map((value, index) => [value, parts.counts[index]]).toSorted(([one], [other]) => one - other),
    );
    assert.deepEqual(own, whole);
  }
});

test('a single bucket has the figures of the kinds, and several buckets have their own', () => {
  const { kinds } = stageSnapshot({ latencies: [1, 2], errors: { timeout: 2, abandoned: 1 } });
  const [only] = bucketSnapshots([{ bucket: 'one', meter: null }], kinds, true);
  assert.deepEqual([only.operations, only.failedAttempts, only.latencies?.count], [2, 2, 2]);
  const meter = new BucketMeter();
  meter.succeeded({ startedAt: 0, finishedAt: 3 }, 1);
  meter.failedAttempts = 4;
  const [withLatencies] = bucketSnapshots([{ bucket: 'two', meter }], kinds, true);
  assert.deepEqual([withLatencies.operations, withLatencies.failedAttempts, withLatencies.latencies?.count], [1, 4, 1]);
  assert.equal(bucketSnapshots([{ bucket: 'two', meter }], kinds, false)[0].latencies, null);
});

test('the snapshots of several workers are added', () => {
  const one = stageSnapshot({ latencies: [1, 2], errors: { timeout: 1 } });
  const other = stageSnapshot({ latencies: [3], errors: { timeout: 2, reset: 1 } }, { loops: [0.25], inFlight: 3 });
  const { kinds, buckets, connections, inFlight, loops } = sumOfSnapshots([one, other]);
  const [{ counts, latencies }] = kinds;
  assert.deepEqual([counts.operations, counts.attempts, counts.errors], [3, 7, { timeout: 3, reset: 1 }]);
  assert.deepEqual([latencies.operations.count, latencies.operations.maximum], [3, 3]);
  assert.deepEqual([buckets[0].operations, buckets[0].failedAttempts], [3, 4]);
  assert.deepEqual([connections, inFlight, loops], [{ opened: 4, reused: 3, open: 4 }, 4, [0.5, 0.25]]);
  assert.equal(sumOfSnapshots([one]), one);
});
