import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chiSquaredTail, chiSquaredTest } from '../helpers/chi-squared.js';

/** Textbook critical values: degrees of freedom, value, probability of the tail. */
const TABLE = [
  [1, 3.841458820694124, 0.05],
  [1, 10.827566170662733, 0.001],
  [2, 13.815510557964274, 0.001],
  [10, 3.940299136119059, 0.95],
  [10, 29.58829844507442, 0.001],
  [100, 149.44925277903886, 0.001],
];

test('the tail matches the tables on both sides of the mean', () => {
  for (const [freedom, value, tail] of TABLE) {
    assert.ok(Math.abs(chiSquaredTail(value, freedom) - tail) < 1e-6 * tail + 1e-8, `${freedom}, ${value}`);
  }
  assert.equal(chiSquaredTail(0, 5), 1);
});

test('expected counts differ by chance, others do not', () => {
  assert.equal(chiSquaredTest([25, 50, 25], [0.25, 0.5, 0.25]), 1);
  assert.ok(chiSquaredTest([24, 53, 23], [0.25, 0.5, 0.25]) > 0.5);
  assert.ok(chiSquaredTest([250, 600, 150], [0.25, 0.5, 0.25]) < 1e-9);
});
