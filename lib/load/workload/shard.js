/** @import { Shard } from '../../result/config.js' */

/** The shard of a run on a single host. @type {Readonly<Shard>} */
export const WHOLE = Object.freeze({ index: 0, count: 1 });

/**
 * Preflight uses the first probes of a shard, up to this number. The measurement of the unloaded latency uses those
 * after them, so that no key is written twice in a second.
 */
export const PREFLIGHT_PROBES = 1024;

/**
 * @param {Shard} shard
 * @param {number} local index of an object or probe within the shard
 * @returns {number} its index in the whole run
 */
export function globalIndex({ index, count }, local) {
  return local * count + index;
}

/**
 * @param {Shard} shard
 * @param {number} index of one of its objects or probes in the whole run
 */
export function localIndex({ count }, index) {
  return Math.floor(index / count);
}

/**
 * @param {Shard} shard
 * @param {number} index of an object or probe in the whole run
 * @returns {boolean} whether it belongs to that shard, whatever the number of objects
 */
export function isOfShard(shard, index) {
  return index % shard.count === shard.index;
}

/**
 * @param {Shard} shard
 * @param {number} index in the whole run
 * @param {number} objects of the shard
 * @returns {boolean} whether it is one of the shard's objects
 */
export function isInShard(shard, index, objects) {
  return isOfShard(shard, index) && index < globalIndex(shard, objects);
}
