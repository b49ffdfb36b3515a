import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capacityOf } from '../../lib/search/capacity-search.js';

test('a capacity tells its rate, its interval, its threads and its time', () => {
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

test('what was held for less than two seconds is no capacity', () => {
  assert.equal(capacityOf([200, 200, 200, 200, 200, 200, 200], 16), null);
  assert.equal(capacityOf([200, 200, 200, 200, 200, 200, 200, 200], 16)?.seconds, 2);
});
