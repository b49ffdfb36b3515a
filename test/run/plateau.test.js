import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasLevelled, isConfirmed, kneeOf, nextOfRamp, threadsToHold } from '../../lib/measure/statistics/plateau.js';

/**
 * @param {number} threads
 * @param {number} rate
 * @param {number} [error]
 * @param {number} [refused] share of the attempts
 */
function step(threads, rate, error = 0, refused = 0) {
  return { threads, rate, error, refused };
}

test('the knee is the smallest number of threads that does as much as any', () => {
  const steps = [step(4, 200), step(16, 800), step(64, 1000), step(128, 1001), step(32, 999), step(23, 950)];
  assert.equal(kneeOf(steps), 32);
});

test('a ramp has levelled off if its last step gained less than three per cent, or lost', () => {
  assert.equal(hasLevelled([step(16, 800)]), false);
  assert.equal(hasLevelled([step(16, 800), step(64, 1000)]), false);
  assert.equal(hasLevelled([step(64, 1000), step(128, 1031)]), false);
  assert.equal(hasLevelled([step(64, 1000), step(128, 1029)]), true);
  assert.equal(hasLevelled([step(64, 1000), step(128, 700)]), true);
  assert.equal(hasLevelled([]), false);
});

test('a knee is confirmed at twice its threads, or at a third more at the maximum', () => {
  assert.equal(isConfirmed(64, 128, 1000), true);
  assert.equal(isConfirmed(64, 127, 1000), false);
  assert.equal(isConfirmed(64, 100, 100), true);
  assert.equal(isConfirmed(12, 16, 16), true);
  assert.equal(isConfirmed(64, 85, 85), false);
});

test('a ramp begins with few threads, and with more if operations are slow', () => {
  assert.equal(nextOfRamp([], 5), 4);
  assert.equal(nextOfRamp([], 200), 20);
  assert.equal(nextOfRamp([], 60_000), 64);
});

test('it takes large steps while the rate grows in proportion, and smaller ones afterwards', () => {
  assert.equal(nextOfRamp([step(4, 200)], 20), 16);
  assert.equal(nextOfRamp([step(4, 100)], 20), 8);
  assert.equal(nextOfRamp([step(4, 200), step(16, 780)], 20), 64);
  assert.equal(nextOfRamp([step(4, 200), step(16, 400)], 20), 32);
});

test('of numbers of threads with the same rate, the one with the fewest refusals is held', () => {
  const steps = [step(16, 1000), step(32, 1000, 0, 0.005), step(64, 1000, 0, 0.3)];
  assert.equal(threadsToHold(steps), 32);
  assert.equal(threadsToHold([step(16, 1000), step(64, 1000, 0, 0.3)]), 16);
});
