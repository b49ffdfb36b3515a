import { sumOf } from './moments.js';

/** A difference below this share of the total is a rounding error. */
const ROUNDING = 1e-12;

/**
 * The exact sign-flip test (R. A. Fisher, The Design of Experiments (1935), section 21): if the sign of each value were
 * random, how often would the sum be at least this far from 0? The test makes no assumption about the distribution of
 * the values.
 *
 * It counts all sign combinations without visiting each: every sum is one sum of the first half plus one of the second
 * half, and there are few enough of these to sort.
 *
 * @param {readonly number[]} values at least one; 40 values take two million sums
 * @returns {number} a share of all sign combinations, 0 to 1; never below 2 ÷ 2^(number of values)
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
  // The larger the sum of one half, the smaller the sum of the other half can be.
  let from = others.length;
  for (const sum of some) {
    while (from > 0 && sum + others[from - 1] >= threshold) {
      from -= 1;
    }
    reached += others.length - from;
  }
  // By symmetry, as many sums are at least as far below 0.
  return (2 * reached) / 2 ** values.length;
}

/** Sums for all sign combinations, in ascending order. @param {readonly number[]} values */
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
