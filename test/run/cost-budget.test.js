import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CostBudget } from '../../lib/run/prices.js';

test('without a limit, every stage may do what it wants', () => {
  const costs = new CostBudget();
  costs.spendRequests(80);
  assert.equal(costs.attemptsFor(['write', 'read']), Infinity);
  assert.ok(costs.affords(1e9, 0));
});

test('stages that are not free share the budget, and pass on what they leave', () => {
  const costs = new CostBudget(3);
  assert.equal(Math.round(costs.attemptsFor(['write', 'read', 'stat', 'remove'])), Math.round(1 / 4.5e-6));
  costs.spend('write', 100_000);
  assert.equal(Math.round(costs.attemptsFor(['read', 'stat', 'remove'])), Math.round((3 - 0.45) / 2 / 0.36e-6));
  assert.equal(costs.attemptsFor(['remove']), Infinity);
});

test('requests outside the stages are paid first: those before them, and the lists after them', () => {
  const costs = new CostBudget(1, 20);
  costs.spendRequests(100);
  assert.equal(Math.round(costs.attemptsFor(['write'])), Math.round(1 / 4.5e-6 - 120));
});

test('a spent budget buys nothing but what is free', () => {
  const costs = new CostBudget(0.001);
  assert.ok(costs.affords(0.0009, 0) && !costs.affords(0.0011, 0));
  assert.ok(!costs.affords(0.0009, 1e5), 'clean-up needs a hundred lists');
  costs.spend('write', 1000);
  assert.equal(costs.attemptsFor(['read']), 0);
  assert.ok(costs.affords(0, 1e5) && !costs.affords(1e-6, 0));
});
