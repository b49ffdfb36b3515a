import assert from 'node:assert/strict';
import { test } from 'node:test';
import { priceOf, stagesBilledAs } from '../../lib/cost/prices.js';

test('a million operations of each stage cost what R2’s list says', () => {
  const prices = ['write', 'read', 'stat', 'remove'].map((stage) => Number((1e6 * priceOf(stage)).toFixed(6)));
  assert.deepEqual(prices, [4.5, 0.36, 0.36, 0]);
});

test('writes are of Class A, reads and stats of Class B, and deleting is of neither', () => {
  const stages = ['write', 'read', 'stat', 'remove'];
  assert.deepEqual([stagesBilledAs('A', stages), stagesBilledAs('B', stages)], [1, 2]);
  assert.deepEqual([stagesBilledAs('A', ['remove']), stagesBilledAs('B', ['stat'])], [0, 1]);
});
