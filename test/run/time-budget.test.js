import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TimeBudget } from '../../lib/run/preflight/unloaded-latency.js';

test('the budget is three seconds, or thirty round trips if these take longer', () => {
  let now = 500;
  const budget = new TimeBudget(() => now);
  assert.deepEqual([budget.left, budget.roundTrip], [3000, 0]);
  budget.answered(90);
  assert.equal(budget.left, 3000);
  now += 1000;
  assert.equal(budget.left, 2000);
  const far = new TimeBudget(() => now);
  [320, 300, 310].forEach((latency) => far.answered(latency));
  assert.deepEqual([far.left, far.roundTrip], [9000, 300]);
});

test('a deadline can shorten the budget, but not extend it', () => {
  let now = 0;
  const budget = new TimeBudget(() => now);
  budget.deadline = 10_000;
  assert.equal(budget.left, 3000);
  budget.deadline = 2000;
  assert.equal(budget.left, 2000);
  now = 2500;
  assert.equal(budget.left, -500);
});
