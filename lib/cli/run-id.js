const CHANCE_DIGITS = 4;
const BASE = 36;

/**
 * A run id that says when the run was made, and differs between hosts that start in the same second.
 *
 * @param {number} now epoch ms
 * @param {() => number} random uniform in [0, 1)
 * @returns {string} such as `20260131-120000-x7k2`
 */
export function makeRunId(now, random) {
  const [day, time] = new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, '').split('T');
  const chance = Math.floor(random() * BASE ** CHANCE_DIGITS);
  return `${day}-${time}-${chance.toString(BASE).padStart(CHANCE_DIGITS, '0')}`;
}
