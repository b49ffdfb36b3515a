import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WaitBudget } from '../../lib/preflight/wait-budget.js';

const ERROR = { message: 'HTTP 503 SlowDown', retryAfter: 30_000 };

function openBudget() {
  const clock = { now: 1000 };
  /** @type {string[]} */
  const notices = [];
  const budget = new WaitBudget(
    () => clock.now,
    (message) => notices.push(message),
  );
  return { clock, budget, notices };
}

test('a pause takes at most five seconds, and is reported with what the store asked for', () => {
  const { budget, notices } = openBudget();
  assert.equal(budget.take(33_000, ERROR), 5000);
  assert.deepEqual(notices, ['The store asked for a pause of 30.0s (HTTP 503 SlowDown): retrying in 5.0s']);
});

test('pauses take at most fifteen seconds in total, and concurrent ones count once', () => {
  const { clock, budget, notices } = openBudget();
  for (let pause = 0; pause < 3; pause += 1) {
    assert.equal(budget.take(30_000, ERROR), 5000);
    assert.equal(budget.take(1000, ERROR), 1000);
    clock.now += 5000;
  }
  assert.equal(notices.length, 3);
  assert.equal(budget.take(100, ERROR), null);
});

test('a pause that outlasts another counts only for the additional time', () => {
  const { clock, budget } = openBudget();
  assert.equal(budget.take(5000, ERROR), 5000);
  for (let pause = 0; pause < 4; pause += 1) {
    clock.now += 2500;
    assert.equal(budget.take(5000, ERROR), 5000);
  }
  assert.equal(budget.take(5000, ERROR), 5000, 'no additional time');
  clock.now += 1;
  assert.equal(budget.take(5000, ERROR), null);
});
