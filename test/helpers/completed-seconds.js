/** @import { SecondCount } from '../../lib/result/result.js' */

/**
 * The figures that a stage reports for each completed second; failures appear only in its result.
 *
 * @param {readonly SecondCount[]} seconds
 */
export function completedIn(seconds) {
  return seconds.map(({ secondStart, operations, bytes }) => ({ secondStart, operations, bytes }));
}
