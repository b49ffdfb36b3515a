import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  classFinder,
  largestSize,
  parseSizes,
  sizeClasses,
  sizeQuantile,
  smallestSize,
} from '../../lib/load/workload/size-distribution.js';

/** @import { SizeDistribution } from '../../lib/result/config.js' */

/** @param {string} text */
function classesOf(text) {
  return sizeClasses(/** @type {SizeDistribution} */ (parseSizes(text)));
}

test('weighted sizes are separate classes', () => {
  assert.deepEqual(classesOf('4KiB=60,8MiB=40'), [
    { from: 4096, to: 4096 },
    { from: 2 ** 23, to: 2 ** 23 },
  ]);
});

test('others are divided by powers of two', () => {
  assert.deepEqual(classesOf('3000..16KiB'), [
    { from: 3000, to: 4095 },
    { from: 4096, to: 8191 },
    { from: 8192, to: 16383 },
    { from: 16384, to: 16384 },
  ]);
});

test('or by powers of four or more, to limit their number', () => {
  assert.deepEqual(
    classesOf('1..5GiB').map(({ from }) => from),
    [0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30].map((power) => 2 ** power),
  );
});

test('each size is in exactly one class', () => {
  const texts = fc.constantFrom('1..2', '4KiB..1MiB', '1..5GiB', '0=1,7=2,9=3');
  fc.assert(
    fc.property(texts, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (text, share) => {
      const sizes = /** @type {SizeDistribution} */ (parseSizes(text));
      const classes = sizeClasses(sizes);
      const size = sizeQuantile(sizes)(share);
      const { from, to } = classes[classFinder(classes)(size)];
      assert.ok(from <= size && size <= to, `${size}: ${from} to ${to}`);
      assert.equal(classes[0].from, smallestSize(sizes));
      assert.equal(classes.at(-1)?.to, largestSize(sizes));
    }),
  );
});
