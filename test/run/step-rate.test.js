import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decisiveRate, isSteady, stepRate } from '../../lib/run/search/search-step.js';

const PLENTY = { mean: 1, p50: 1 };

test('a step’s rate is the mean of its windows, in operations per second', () => {
  const { rate, error, threads } = stepRate({ windows: [200, 202, 198, 200], threads: 16, latency: PLENTY });
  assert.equal(rate, 800);
  assert.equal(threads, 16);
  assert.ok(error > 3 && error < 4, String(error));
});

test('an extra round in a short time does not count as speed', () => {
  // 10 threads at 100 ms do 100 per second; a window of 250 ms sees two or three rounds.
  const { rate } = stepRate({ windows: [30, 20, 30, 30], threads: 10, latency: { mean: 100, p50: 100 } });
  assert.equal(rate, 100);
});

test('windows are steady if they agree and there are enough of them', () => {
  assert.equal(isSteady([100, 100, 100], 0.01), true);
  assert.equal(isSteady([100, 100], 0.01), false);
  assert.equal(isSteady([100, 110, 90, 105], 0.01), false);
  assert.equal(isSteady([100, 110, 90, 105], 0.05), true);
});

test('a hold’s rate is the mean of its batches; any other step’s is limited by its threads', () => {
  const latency = { mean: 10, p50: 10 };
  // An odd window at the beginning is in no batch.
  const windows = [0, ...Array.from({ length: 40 }, () => 250)];
  assert.equal(decisiveRate('hold', { windows, threads: 1, latency }), 1000);
  assert.equal(decisiveRate('ramp', { windows, threads: 1, latency }), 100);
  assert.equal(decisiveRate('ramp', { windows, threads: 1, latency: null }), (40 * 1000) / 41);
  assert.equal(decisiveRate('hold', { windows: [250], threads: 1, latency }), 1000);
  assert.equal(decisiveRate('hold', { windows: [], threads: 1, latency }), 0);
});
