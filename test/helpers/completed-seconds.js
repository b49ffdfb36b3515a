/** @import { SecondCount } from '../../lib/model/result.js' */

/**
 * What a stage says of a second when it is over: failures stand in its result alone.
 *
 * @param {readonly SecondCount[]} seconds
 */
export function completedIn(seconds) {
  return seconds.map(({ secondStart, operations, bytes }) => ({ secondStart, operations, bytes }));
}
