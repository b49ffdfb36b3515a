import assert from 'node:assert/strict';
import { test } from 'node:test';
import { normalQuantile } from '../../lib/measure/statistics/normal-quantile.js';

/** Values from the paper and from textbooks. */
const KNOWN = [
  [0.25, -0.6744897501960817],
  [0.001, -3.090232306167813],
  [1e-20, -9.26234008979841],
  [0.5, 0],
  [0.975, 1.959963984540054],
];

test('quantiles match the published algorithm in the middle and in both parts of the tails', () => {
  for (const [probability, quantile] of KNOWN) {
    assert.ok(Math.abs(normalQuantile(probability) - quantile) < 1e-13, `${probability}`);
  }
});

test('the distribution is symmetric', () => {
  for (const probability of [0.3, 0.07, 0.001, 2 ** -40]) {
    assert.ok(Math.abs(normalQuantile(probability) + normalQuantile(1 - probability)) < 1e-9, `${probability}`);
  }
});
