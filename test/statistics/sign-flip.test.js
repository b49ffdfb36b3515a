import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signFlipTest } from '../../lib/statistics/sign-flip.js';

/**
 * Goes through each way to give signs.
 *
 * @param {readonly number[]} values integers, whose sums are exact
 */
function byEnumeration(values) {
  const sum = Math.abs(values.reduce((total, value) => total + value, 0));
  const ways = Array.from({ length: 2 ** values.length }, (_, way) =>
    values.reduce((total, value, place) => total + ((way >> place) & 1 ? -value : value), 0),
  );
  return ways.filter((each) => Math.abs(each) >= sum).length / ways.length;
}

test('the share of signs that bring as much is that of an enumeration', () => {
  const values = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 11 });
  fc.assert(fc.property(values, (given) => assert.equal(signFlipTest(given), byEnumeration(given))));
});

test('where all values have one sign, only two of all ways bring as much', () => {
  for (const count of [1, 6, 8, 40]) {
    const values = Array.from({ length: count }, (_, place) => -0.01 - place / 1000);
    assert.equal(signFlipTest(values), 2 / 2 ** count);
  }
});

test('values that are no whole numbers reach their own sum, in whatever order they are added', () => {
  assert.equal(signFlipTest([0.1, 0.2, 0.3, 0.1, 0.2, 0.3]), 2 / 2 ** 6);
  assert.equal(signFlipTest([0.1, -0.3, 0.2]), 1, 'their sum is 0 but for rounding');
  // + and - of the smallest two, for either sign of all.
  assert.equal(signFlipTest([0.7, 0.1, 0.7, -0.1]), byEnumeration([7, 1, 7, -1]));
});
