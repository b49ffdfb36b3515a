import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CountBudget, RoundBudget } from '../../lib/engine/budget.js';

test('each object is given out once, in order, and then no more', () => {
  fc.assert(
    fc.property(fc.nat(200), (count) => {
      const budget = new CountBudget(count);
      const claimed = Array.from({ length: count }, () => budget.claim());
      assert.deepEqual(claimed, [...claimed.keys()]);
      assert.deepEqual([budget.claim(), budget.claim()], [-1, -1]);
    }),
  );
});

test('a closed budget gives out nothing more', () => {
  const budget = new CountBudget(10);
  budget.claim();
  budget.close();
  assert.equal(budget.claim(), -1);
});

test('what was given out is counted, and asking in vain is not', () => {
  const budget = new CountBudget(2);
  [1, 2, 3, 4].forEach(() => budget.claim());
  assert.equal(budget.claimed, 2);
});

test('a round goes over all objects again and again, until it is closed', () => {
  const budget = new RoundBudget(3);
  assert.deepEqual(
    Array.from({ length: 7 }, () => budget.claim()),
    [0, 1, 2, 0, 1, 2, 0],
  );
  budget.close();
  assert.deepEqual([budget.claim(), budget.claimed], [-1, 7]);
});

test('a round over no objects gives out nothing', () => {
  assert.equal(new RoundBudget(0).claim(), -1);
});
