import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyTable, hashOf } from '../../lib/load/replay/recorded-requests.js';

test('each key keeps its number as the table grows', () => {
  const table = new KeyTable();
  const keys = Array.from({ length: 200_000 }, (_, index) => hashOf('media', `photos/${index}.jpg`));
  for (let round = 0; round < 2; round++) {
    keys.forEach((hash, index) => {
      if (table.indexOf(hash) !== index) {
        assert.fail(`key ${index} got another number`);
      }
    });
  }
  assert.equal(table.count, keys.length);
});

test('the bucket is part of the key, and both halves of a hash are spread evenly', () => {
  assert.notDeepEqual(hashOf('a', 'b/c'), hashOf('b', 'b/c'));
  const counts = { low: new Array(16).fill(0), high: new Array(16).fill(0) };
  for (let index = 0; index < 16_000; index++) {
    const { low, high } = hashOf('media', `photos/${index}.jpg`);
    counts.low[low % 16] += 1;
    counts.high[high % 16] += 1;
  }
  for (const half of [counts.low, counts.high]) {
    assert.ok(Math.min(...half) > 800 && Math.max(...half) < 1200, String(half));
  }
});
