import { mixIndex } from '../../lib/load/workload/mix.js';

/**
 * Random numbers that are the same in every run of the tests.
 *
 * @param {number} seed
 * @returns {{ uniform: () => number, normal: () => number, exponential: () => number }} uniform in (0, 1); normal with mean 0
 *   and variance 1; exponential with mean 1
 */
export function chance(seed) {
  let drawn = 0;
  const uniform = () => (mixIndex(drawn++, seed) + 0.5) / 2 ** 32;
  return {
    uniform,
    normal: () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform()),
    exponential: () => -Math.log(uniform()),
  };
}
