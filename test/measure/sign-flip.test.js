import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signFlipTest } from '../../lib/measure/statistics/sign-flip.js';

/**
 * Enumerates all sign combinations.
 *
 * @param {readonly number[]} values integers, whose sums are exact
 */
function byEnumeration(values) {
  const sum = Math.abs(values.reduce((total, value) => total + value, 0));
  const ways = Array.from({ length: 2 ** values.length }, (_, way) =>
    values.reduce((total, value, index) => total + ((way >> index) & 1 ? -value : value), 0),
  );
  return ways.filter((each) => Math.abs(each) >= sum).length / ways.length;
}

test('the share of sign combinations matches an enumeration', () => {
  const values = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 11 });
  fc.assert(fc.property(values, (given) => assert.equal(signFlipTest(given), byEnumeration(given))));
});

test('if all values have the same sign, only two combinations reach their sum', () => {
  for (const count of [1, 6, 8, 40]) {
    const values = Array.from({ length: count }, (_, index) => -0.01 - index / 1000);
    assert.equal(signFlipTest(values), 2 / 2 ** count);
  }
});

test('non-integer values reach their own sum, in any order of addition', () => {
  assert.equal(signFlipTest([0.1, 0.2, 0.3, 0.1, 0.2, 0.3]), 2 / 2 ** 6);
  assert.equal(signFlipTest([0.1, -0.3, 0.2]), 1, 'their sum is 0 except for rounding');
  // Either sign of the smallest two, for either sign of the rest.
  assert.equal(signFlipTest([0.7, 0.1, 0.7, -0.1]), byEnumeration([7, 1, 7, -1]));
});
