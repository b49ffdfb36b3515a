import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { batchMeans, capacityOf } from '../../lib/measure/statistics/batch-means.js';
import { studentT } from '../../lib/measure/statistics/student-t.js';
import { chance } from '../helpers/chance.js';

const TRUTH = 1000;
const INTERVAL = 0.25;

/**
 * Operations per window of a rate that varies around the truth.
 *
 * @param {number} seed
 * @param {number} memory autocorrelation of neighbouring windows, 0 to 1
 * @param {number} [length]
 */
function windowsOf(seed, memory, length = 40) {
  const { normal } = chance(seed);
  let deviation = normal();
  return Array.from({ length }, () => {
    deviation = memory * deviation + Math.sqrt(1 - memory ** 2) * normal();
    return TRUTH * INTERVAL * (1 + 0.02 * deviation);
  });
}

/**
 * @param {number} memory
 * @returns {number} how many of 1,000 intervals hold the truth
 */
function coverage(memory) {
  const intervals = Array.from({ length: 1000 }, (_, seed) => batchMeans(windowsOf(seed, memory), INTERVAL));
  return intervals.filter(({ low, high }) => low <= TRUTH && TRUTH <= high).length;
}

test('95 of 100 intervals hold the truth if windows are independent', () => {
  const held = coverage(0);
  assert.ok(held >= 935 && held <= 970, `${held} of 1000`);
});

test('more than 85 of 100 still do if each window resembles the one before', () => {
  const held = coverage(0.5);
  assert.ok(held >= 850, `${held} of 1000`);
});

/** @param {readonly number[]} values */
function vonNeumann(values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const deviation = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const difference = values.slice(1).reduce((sum, value, place) => sum + (value - values[place]) ** 2, 0);
  return 1 - difference / (2 * deviation);
}

test('batches are merged if neighbours resemble each other more than chance explains, at 5%', () => {
  // The 0.95 quantile of the normal distribution times the statistic's standard deviation for 16 batches.
  const limit = 1.645 * Math.sqrt(14 / 255);
  const found = { merged: 0, kept: 0 };
  for (let seed = 0; seed < 400; seed++) {
    const counts = windowsOf(seed, 0.3, 16);
    const isMerged = vonNeumann(counts) > limit;
    assert.equal(batchMeans(counts, INTERVAL).batches, isMerged ? 8 : 16, `${seed}: ${vonNeumann(counts)}, ${limit}`);
    found[isMerged ? 'merged' : 'kept'] += 1;
  }
  assert.ok(found.merged > 50 && found.kept > 50, JSON.stringify(found));
});

test('the width of the interval follows from the standard error and the degrees of freedom', () => {
  // 16 values of alternating deviation: standard deviation √(16/15), 15 degrees of freedom.
  const { mean, low, high, batches } = batchMeans(
    Array.from({ length: 16 }, (_, place) => 250 + (-1) ** place),
    1,
  );
  assert.deepEqual([mean, batches], [250, 16]);
  const half = (studentT(15) * Math.sqrt(16 / 15)) / 4;
  assert.ok(Math.abs(high - mean - half) < 1e-9 && Math.abs(mean - low - half) < 1e-9, `${low} to ${high}`);
});

test('the interval holds the mean, is never negative, and has no more batches than windows', () => {
  const counts = fc.array(fc.nat(100_000), { minLength: 2, maxLength: 200 });
  fc.assert(
    fc.property(counts, fc.double({ min: 0.01, max: 10, noNaN: true }), (windows, interval) => {
      const { mean, low, high, batches } = batchMeans(windows, interval);
      assert.ok(low >= 0 && low <= mean && mean < high);
      assert.ok(batches >= 2 && batches <= Math.min(windows.length, 30));
      const rates = windows.map((count) => count / interval);
      const rounding = 1e-9 * Math.max(...rates);
      assert.ok(mean >= Math.min(...rates) - rounding && mean <= Math.max(...rates) + rounding);
    }),
  );
});

test('fewer than two windows have no interval', () => {
  assert.throws(() => batchMeans([5], INTERVAL), /^RangeError: expected at least two intervals, got 1/);
  assert.throws(() => batchMeans([], INTERVAL), /^RangeError: expected at least two intervals, got 0/);
});

test('a capacity has a rate, an interval, threads and a duration', () => {
  const windows = Array.from({ length: 40 }, () => 200);
  assert.deepEqual(capacityOf(windows, 0.25, 16), {
    operationsPerSecond: 800,
    low: 799.9,
    high: 800.1,
    confidence: 0.95,
    threads: 16,
    seconds: 10,
  });
});

test('nothing succeeded, or too few intervals: there is no capacity', () => {
  assert.equal(capacityOf([0, 0, 0], 0.25, 16), null);
  assert.equal(capacityOf([200], 0.25, 16), null);
});
