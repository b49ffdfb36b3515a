import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chiSquaredTest } from '../helpers/chi-squared.js';
import {
  largestSize,
  objectSizes,
  parseSizes,
  sizeQuantile,
  smallestSize,
} from '../../lib/load/workload/size-distribution.js';

/** @import { SizeDistribution } from '../../lib/result/config.js' */

const DRAWS = 100_000;

/** Chance alone would fail one test in a thousand, but not with this seed. */
const SIGNIFICANCE = 0.001;

/** @param {string} text */
function read(text) {
  return /** @type {SizeDistribution} */ (parseSizes(text));
}

/**
 * @param {string} text
 * @param {string} [runId]
 */
function sizesOf(text, runId = 'run-1') {
  const sizes = read(text);
  return objectSizes({ runId, size: largestSize(sizes), sizes });
}

/**
 * @param {string} text
 * @param {readonly number[]} bounds smallest size of each class except the first
 * @returns {number[]} number of draws in each class
 */
function countClasses(text, bounds) {
  const sizeOf = sizesOf(text);
  const counts = [0, ...bounds.map(() => 0)];
  for (let index = 0; index < DRAWS; index += 1) {
    const size = sizeOf(index);
    counts[bounds.filter((bound) => size >= bound).length] += 1;
  }
  return counts;
}

test('if all objects have one size, each has that size', () => {
  const sizeOf = objectSizes({ runId: 'run-1', size: 100 });
  assert.deepEqual([0, 1, 2 ** 40].map(sizeOf), [100, 100, 100]);
});

test('any host computes the same size for an object, within the bounds', () => {
  const texts = fc.constantFrom('4KiB..1MiB', '0=1,1KiB=2,5GiB=3');
  fc.assert(
    fc.property(fc.string(), texts, fc.maxSafeNat(), (runId, text, index) => {
      const size = sizesOf(text, runId)(index);
      assert.ok(Number.isInteger(size) && size >= smallestSize(read(text)) && size <= largestSize(read(text)));
      assert.equal(sizesOf(text, runId)(index), size);
    }),
  );
});

test('the size of an object never changes: other hosts and later versions verify it', () => {
  assert.deepEqual(
    ['4KiB..1MiB', '4KiB=60,256KiB=30,8MiB=10'].map((text) => [0, 1, 2, 1e9, 2 ** 40].map(sizesOf(text))),
    [
      [16856, 136368, 140039, 67040, 12395],
      [4096, 262144, 262144, 4096, 4096],
    ],
  );
});

test('weighted sizes are as frequent as their weights', () => {
  const counts = countClasses('4KiB=60,256KiB=30,8MiB=10', [2 ** 18, 2 ** 23]);
  assert.ok(chiSquaredTest(counts, [0.6, 0.3, 0.1]) > SIGNIFICANCE, counts.join());
});

test('each whole size of a log-uniform range has its share', () => {
  const sizes = Array.from({ length: 100 }, (_, place) => place + 1);
  const counts = countClasses('1..100', sizes.slice(1));
  const shares = sizes.map((size) => Math.log((size + 1) / size) / Math.log(101));
  assert.ok(chiSquaredTest(counts, shares) > SIGNIFICANCE);
});

test('the objects of each shard have the same distribution', () => {
  const sizeOf = sizesOf('1=50,2=50');
  for (const shard of [0, 1, 2, 3]) {
    const ones = Array.from({ length: DRAWS / 4 }, (_, local) => sizeOf(4 * local + shard)).filter(
      (size) => size === 1,
    );
    assert.ok(chiSquaredTest([ones.length, DRAWS / 4 - ones.length], [0.5, 0.5]) > SIGNIFICANCE, `${shard}`);
  }
});

test('a search scales all sizes equally', () => {
  const sizes = read('4KiB=60,8MiB=40');
  const [whole, half] = [2 ** 23, 2 ** 22].map((size) => objectSizes({ runId: 'run-1', size, sizes }));
  for (let index = 0; index < 100; index += 1) {
    assert.equal(half(index), whole(index) / 2);
  }
});

test("sizes are random, and do not depend on an object's position", () => {
  const quantile = sizeQuantile(read('1=50,2=50'));
  assert.deepEqual([0, 0.49, 0.5, 0.99].map(quantile), [1, 1, 2, 2]);
  const sizeOf = sizesOf('1=50,2=50');
  const pairs = [0, 0, 0, 0];
  for (let index = 0; index < DRAWS; index += 2) {
    pairs[2 * (sizeOf(index) - 1) + sizeOf(index + 1) - 1] += 1;
  }
  assert.ok(chiSquaredTest(pairs, Array(4).fill(1 / 4)) > SIGNIFICANCE, pairs.join());
});
