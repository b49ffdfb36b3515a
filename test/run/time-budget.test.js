import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TimeBudget } from '../../lib/run/preflight/unloaded-latency.js';

test('the budget is three seconds, or thirty round trips if these take longer', () => {
  let now = 500;
  const budget = new TimeBudget(() => now);
  assert.deepEqual([budget.left, budget.roundTrip, budget.aloneLatency('stat')], [3000, 0, null]);
  budget.answered('write', 90);
  assert.equal(budget.left, 3000);
  now += 1000;
  assert.equal(budget.left, 2000);
  const far = new TimeBudget(() => now);
  far.answered('write', 320);
  far.answered('stat', 300);
  far.answered('stat', 310);
  assert.deepEqual([far.left, far.roundTrip, far.aloneLatency('stat')], [9000, 300, 300]);
});

test('a deadline can shorten the budget, but not extend it', () => {
  let now = 0;
  const budget = new TimeBudget(() => now);
  assert.equal(budget.deadline, Infinity);
  budget.endBy(2000);
  budget.endBy(10_000);
  assert.deepEqual([budget.left, budget.deadline], [2000, 2000]);
  now = 2500;
  assert.equal(budget.left, -500);
});
