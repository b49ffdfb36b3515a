import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CostBudget } from '../../lib/cost/cost-budget.js';

const NO_REQUESTS = { preflight: 0, clock: 0, probe: 0, cleanup: 0 };

test('without a limit, every stage may do what it wants', () => {
  const money = new CostBudget(Infinity, { ...NO_REQUESTS, probe: 80 });
  assert.equal(money.attemptsFor(['write', 'read']), Infinity);
});

test('stages that are not free share the budget, and pass on what they leave', () => {
  const money = new CostBudget(3, NO_REQUESTS);
  assert.equal(Math.round(money.attemptsFor(['write', 'read', 'stat', 'remove'])), Math.round(1 / 4.5e-6));
  money.spend('write', 100_000);
  assert.equal(Math.round(money.attemptsFor(['read', 'stat', 'remove'])), Math.round((3 - 0.45) / 2 / 0.36e-6));
  assert.equal(money.attemptsFor(['remove']), Infinity);
});

test('requests before the stages are paid first', () => {
  const money = new CostBudget(1, { preflight: 4, clock: 16, probe: 80, cleanup: 7 });
  assert.equal(Math.round(money.attemptsFor(['write'])), Math.round(1 / 4.5e-6 - 100));
});

test('the lists after the search are also paid first', () => {
  const money = new CostBudget(1, { ...NO_REQUESTS, probe: 80 }, 20);
  assert.equal(Math.round(money.attemptsFor(['write'])), Math.round(1 / 4.5e-6 - 100));
});

test('a spent budget buys nothing', () => {
  const money = new CostBudget(0.001, NO_REQUESTS);
  money.spend('write', 1000);
  assert.equal(money.attemptsFor(['read']), 0);
});

test('reports what a stage lacked as the limit that the run would have needed', () => {
  const stages = ['write', 'read', 'stat', 'remove'];
  const requests = { preflight: 4, clock: 16, probe: 80, cleanup: 7 };
  const money = new CostBudget(3, requests);
  money.spend('write', 150_000);
  const limit = money.limitFor(stages, 400_000, 150_000);
  assert.ok(new CostBudget(limit + 1e-9, requests).attemptsFor(stages) >= 400_000, String(limit));
  assert.ok(new CostBudget(limit - 0.001, requests).attemptsFor(stages) < 400_000, String(limit));
});

test('that limit includes earlier stages', () => {
  const money = new CostBudget(3, NO_REQUESTS);
  money.spend('write', 100_000);
  money.spend('read', 1000);
  assert.equal(money.limitFor(['read', 'stat'], 5_000_000, 1000).toFixed(6), (0.45 + 2 * 1.8).toFixed(6));
});
