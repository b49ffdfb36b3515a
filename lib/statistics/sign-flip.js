import { sumOf } from './moments.js';

/** Of the sum of all values: sums that differ by less are the same one, added up in another order. */
const ROUNDING = 1e-12;

/**
 * The exact sign-flip test (R. A. Fisher, The Design of Experiments (1935), section 21): if nothing but chance decides the
 * sign of each value, how often is their sum as far from 0 as it is? It assumes no distribution of the values.
 *
 * All ways to give signs are counted without going through each: every sum is one of the first half's and one of the second
 * half's, and these are few enough to be sorted.
 *
 * @param {readonly number[]} values at least one; 40 of them take two times a million sums
 * @returns {number} the share of all ways to give signs, 0 to 1; never below 2 ÷ 2^(number of values)
 */
export function signFlipTest(values) {
  const size = sumOf(values.map(Math.abs));
  const threshold = Math.abs(sumOf(values)) - ROUNDING * size;
  if (threshold <= 0) {
    return 1;
  }
  const middle = Math.floor(values.length / 2);
  const some = signedSums(values.slice(0, middle));
  const others = signedSums(values.slice(middle));
  let reached = 0;
  // The larger the one sum is, the smaller the other may be.
  let from = others.length;
  for (const sum of some) {
    while (from > 0 && sum + others[from - 1] >= threshold) {
      from -= 1;
    }
    reached += others.length - from;
  }
  // With all signs turned, the sum is as far below 0.
  return (2 * reached) / 2 ** values.length;
}

/**
 * @param {readonly number[]} values
 * @returns {Float64Array} the sums for all ways to give them signs, in ascending order
 */
function signedSums(values) {
  let sums = Float64Array.of(0);
  for (const value of values) {
    const flipped = new Float64Array(2 * sums.length);
    flipped.set(sums.map((sum) => sum - value));
    flipped.set(
      sums.map((sum) => sum + value),
      sums.length,
    );
    sums = flipped;
  }
  return sums.sort();
}
