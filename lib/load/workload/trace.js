/** @import { Trace } from '../../result/config.js' */

/** Values of each member of a batch. */
export const MEMBER_VALUES = 3;

/**
 * @param {Pick<Trace, 'sizes'>} trace
 * @param {{ count: number }} shard of the host that replays it
 * @returns {(index: number) => number} bytes of an object, by its index in the whole run
 */
export function sizesOf({ sizes }, { count }) {
  return (index) => sizes[Math.floor(index / count)];
}

/** Requests per second at the recorded speed. @param {Pick<Trace, 'requests' | 'length'>} trace */
export function meanRateOf({ requests, length }) {
  return (1000 * requests) / Math.max(length, 1000);
}
