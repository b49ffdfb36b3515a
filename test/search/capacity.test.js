import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capacityOf } from '../../lib/search/capacity-search.js';

test('a capacity has a rate, an interval, threads and a duration', () => {
  const windows = Array.from({ length: 40 }, () => 200);
  assert.deepEqual(capacityOf(windows, 16), {
    operationsPerSecond: 800,
    low: 799.9,
    high: 800.1,
    confidence: 0.95,
    threads: 16,
    seconds: 10,
  });
});

test('a hold of less than two seconds gives no capacity', () => {
  assert.equal(capacityOf([200, 200, 200, 200, 200, 200, 200], 16), null);
  assert.equal(capacityOf([200, 200, 200, 200, 200, 200, 200, 200], 16)?.seconds, 2);
});
