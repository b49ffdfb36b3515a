/**
 * Recorded requests to be repeated, and the objects that they concern: plain values, and arrays in memory that all workers share.
 *
 * @typedef {object} Trace
 * @property {number} requests
 * @property {number} objects of this host; those to prepare come first
 * @property {number} prepared number of objects that exist before the first request
 * @property {number} length ms from the first to the last request
 * @property {Float64Array} times ms from the start of the part that is replayed, in ascending order
 * @property {Uint8Array} codes index of each operation among OPERATIONS
 * @property {Uint32Array} targets local index of each object
 * @property {Uint32Array} amounts bytes of a range; keys of a list page; for a change, the number of earlier changes of
 *   the object; for a batch, the index of its first member
 * @property {Uint32Array} members of batches, three values each: local index of the object, number of its earlier
 *   changes, index of the next member (0 for none)
 * @property {Float64Array} sizes bytes of each object, by localIndex
 */

export const MEMBER_VALUES = 3;

/**
 * @param {Pick<Trace, 'sizes'>} trace
 * @param {{ count: number }} shard of the host that replays it
 * @returns {(index: number) => number} bytes of an object, by its index in the whole run
 */
export function sizesOf({ sizes }, { count }) {
  return (index) => sizes[Math.floor(index / count)];
}
