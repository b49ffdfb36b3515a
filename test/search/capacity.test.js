import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capacityOf } from '../../lib/search/batch-means.js';

test('a capacity has a rate, an interval, threads and a duration', () => {
  const windows = Array.from({ length: 40 }, () => 200);
  assert.deepEqual(capacityOf(windows, 0.25, 16), {
    operationsPerSecond: 800,
    low: 799.9,
    high: 800.1,
    confidence: 0.95,
    threads: 16,
    seconds: 10,
  });
});

test('nothing succeeded, or too few intervals: there is no capacity', () => {
  assert.equal(capacityOf([0, 0, 0], 0.25, 16), null);
  assert.equal(capacityOf([200], 0.25, 16), null);
});
