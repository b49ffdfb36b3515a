import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorOfMean, lagOneCorrelation } from '../../lib/measure/statistics/dependent-mean.js';
import { meanOf, standardErrorOf } from '../../lib/measure/statistics/moments.js';
import { studentT } from '../../lib/measure/statistics/student-t.js';
import { wandering } from '../../bench/truth/simulated-runs.js';
import { chance } from '../helpers/chance.js';

/**
 * @param {number} correlation
 * @param {number} seed
 * @param {number} [length]
 */
function secondsOf(correlation, seed, length = 60) {
  return wandering(correlation).factors(chance(seed), length);
}

/** @param {readonly number[]} seconds */
function halfWidthOf(seconds) {
  const { variance, freedom } = errorOfMean(seconds);
  return studentT(freedom) * Math.sqrt(variance);
}

test('the correlation of a known series matches the formula', () => {
  // Deviations -3, -1, 1, 3: products of neighbours 3 - 1 + 3 = 5, squares 20.
  const sample = 5 / 20;
  assert.ok(Math.abs(lagOneCorrelation([1, 3, 5, 7]) - (sample + (1 + 4 * sample) / 4)) < 1e-12);
});

test('it is never negative, nor so close to 1 that nothing is left', () => {
  assert.equal(lagOneCorrelation(Array.from({ length: 60 }, (_, index) => index % 2)), 0);
  assert.equal(lagOneCorrelation(Array.from({ length: 600 }, (_, index) => index)), 0.97);
  assert.equal(lagOneCorrelation(Array.from({ length: 60 }, () => 5)), 0);
});

test('at least 92 of 100 intervals contain the true mean, however strongly the seconds depend on each other', () => {
  for (const correlation of [0, 0.5, 0.7, 0.9]) {
    const held = Array.from({ length: 1000 }, (_, seed) => {
      const seconds = secondsOf(correlation, seed);
      return Math.abs(meanOf(seconds) - 1) <= halfWidthOf(seconds);
    }).filter(Boolean).length;
    assert.ok(held >= 920, `correlation ${correlation}: ${held} of 1000`);
  }
});

test('the result is never below either of the two estimates', () => {
  for (let seed = 0; seed < 200; seed += 1) {
    const seconds = secondsOf(0.7, seed);
    const correlation = lagOneCorrelation(seconds);
    const effective = (60 * (1 - correlation)) / (1 + correlation);
    const batches = Array.from({ length: 6 }, (_, batch) => meanOf(seconds.slice(10 * batch, 10 * batch + 10)));
    const byCorrelation =
      studentT(Math.max(effective - 1, 1)) * standardErrorOf(seconds) * Math.sqrt(seconds.length / effective);
    const byBatches = studentT(5) * standardErrorOf(batches);
    assert.ok(Math.abs(halfWidthOf(seconds) - Math.max(byCorrelation, byBatches)) < 1e-12, String(seed));
  }
});
