import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OperationBudget, operationsIn } from '../../lib/search/operation-budget.js';
import { STAGE_MS } from '../../lib/search/search-plan.js';
import { TestedSteps } from '../../lib/search/tested-steps.js';

/** @param {Partial<ConstructorParameters<typeof OperationBudget>[0]>} [overrides] */
function prepare(overrides) {
  const tested = new TestedSteps({ maxThreads: 1000, unloadedLatency: 20 });
  const most = { maxOperations: 50_000, maxAttempts: Infinity };
  const options = { unloadedLatency: 20, ...most, sharesOperations: false, comparesSizes: false };
  return { tested, budget: new OperationBudget({ tested, ...options, ...overrides }) };
}

test('steps leave time for the hold, and on a plateau for the comparison of sizes', () => {
  assert.equal(prepare().budget.timeForSteps, STAGE_MS - 11_000);
  const { tested, budget } = prepare({ comparesSizes: true });
  assert.equal(budget.timeForSteps, STAGE_MS - 11_000);
  tested.add('ramp', { threads: 16, rate: 800, error: 0, refused: 0 });
  assert.equal(budget.timeForSteps, STAGE_MS - 11_000);
  tested.add('ramp', { threads: 32, rate: 800, error: 0, refused: 0 });
  assert.equal(budget.timeForSteps, STAGE_MS - 11_000 - 4 * 1750);
});

test('steps leave operations for the hold at the best rate so far', () => {
  const { tested, budget } = prepare();
  assert.equal(budget.operationsForSteps, 50_000);
  tested.add('ramp', { threads: 16, rate: 800, error: 0, refused: 0 });
  assert.equal(budget.operationsForSteps, 50_000 - 10.5 * 800 - 16);
});

test('the hold leaves operations for the comparison of sizes', () => {
  const { budget } = prepare({ comparesSizes: true });
  assert.equal(budget.operationsForHold(1000, 10), 50_000 - 2 * 1250 - 2 * 2.2 * 1250 - 4 * 10);
  assert.equal(prepare().budget.operationsForHold(1000, 10), 50_000);
});

test('failed attempts are paid for and expected again', () => {
  const { tested, budget } = prepare({ maxOperations: 10_000, maxAttempts: 8000 });
  assert.equal(budget.operationsLeft, 8000);
  budget.spend(1500, 200, 400);
  assert.equal(budget.operationsLeft, (8000 - 400) / 2);
  tested.add('ramp', { threads: 4, rate: 200, error: 0, refused: 0 });
  const hold = 10.5 * 200 + 4;
  assert.equal(budget.operationsForSteps, 3800 - hold);
  assert.equal(budget.attemptsFor(3800 - hold), 7600 - 2 * hold);
  tested.add('ramp', { threads: 8, rate: 200, error: 0, refused: 0 });
  assert.deepEqual([budget.needed, budget.limitingResource], [null, null]);
  budget.recordShortage();
  assert.equal(budget.limitingResource, 'dollars');
  const { operations, attempts } = /** @type {NonNullable<typeof budget.needed>} */ (budget.needed);
  assert.deepEqual([operations >= 40 * 200, attempts], [true, 2 * operations]);
});

test('operations of a step are those that start in it, including those in flight at its end', () => {
  assert.equal(operationsIn(100, 4, { settle: 250, minDuration: 1000, maxDuration: 1500, grace: 500 }), 179);
});
