import { mixIndex } from '../../lib/workload/mix.js';

/**
 * Chance that is the same in each run of the tests.
 *
 * @param {number} seed
 * @returns {{ uniform: () => number, normal: () => number, exponential: () => number }} uniform in (0, 1), the others with
 *   mean 0 and variance 1, and with mean 1
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
