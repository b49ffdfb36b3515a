import { seedOf } from './mix.js';
import { listedSizes } from './size-distribution.js';

/**
 * @import { SizeDistribution } from '../../result/config.js'
 * @import { Places } from './keyspace.js'
 */

/** Memory per object, in addition to its key. */
const BYTES_PER_OBJECT = 4 + 8 + 4 + 4;

/** Enough for about five million objects. Building the list takes three times as much memory. */
export const MAX_LIST_BYTES = 2 ** 29;

/**
 * @typedef {object} ListedObject
 * @property {Buffer} key as UTF-8
 * @property {number} size bytes
 * @property {number} etagDigest see object-connection.js; 0 if the listing has no ETag
 */

/** Collects the objects of one bucket during a listing, in key order. */
export class BucketListing {
  #keys = Buffer.alloc(64 * 1024);
  #keyBytes = 0;
  /** @type {number[]} */
  ends = [];
  /** @type {number[]} */
  sizes = [];
  /** @type {number[]} */
  digests = [];

  /** @param {ListedObject} object */
  add({ key, size, etagDigest }) {
    if (this.#keyBytes + key.length > this.#keys.length) {
      this.#keys = Buffer.concat([this.#keys], 2 * this.#keys.length);
    }
    this.#keyBytes += key.copy(this.#keys, this.#keyBytes);
    this.ends.push(this.#keyBytes);
    this.sizes.push(size);
    this.digests.push(etagDigest);
  }

  get count() {
    return this.ends.length;
  }

  get keys() {
    return this.#keys.subarray(0, this.#keyBytes);
  }

  get bytes() {
    return this.#keyBytes + this.count * BYTES_PER_OBJECT;
  }
}

/**
 * A list that can be shared with other threads: plain values, and arrays in shared memory.
 *
 * @typedef {object} ListState
 * @property {string} prefix
 * @property {readonly string[]} buckets
 * @property {number} shards of the run
 * @property {readonly number[]} starts of each bucket's objects in the whole list, and the end of the last bucket
 * @property {SharedArrayBuffer} keys
 * @property {Uint32Array} ends of the keys, after a 0
 * @property {Float64Array} sizes
 * @property {Uint32Array} digests
 * @property {Uint32Array} order positions in the whole list, by local index
 */

/**
 * Existing objects, as listed by the run. Used instead of a Keyspace. The list is in memory that all workers share.
 * Consecutive local indices alternate between buckets.
 *
 * @implements {Places}
 */
export class ListedObjects {
  #keys;

  /** @param {ListState} state */
  constructor(state) {
    /** Can be sent to another thread. */
    this.state = state;
    this.buckets = state.buckets;
    this.keyPrefix = state.prefix;
    this.#keys = Buffer.from(state.keys);
    /** @type {(index: number) => number} bytes of an object */
    this.sizeOf = (index) => state.sizes[this.#positionOf(index)];
  }

  /**
   * @param {object} options
   * @param {string} options.prefix
   * @param {readonly string[]} options.buckets
   * @param {number} options.shards of the run; indices refer to the whole run
   * @param {number} options.limit of objects, taken from each bucket in turn
   * @param {readonly BucketListing[]} options.listings one per bucket, in order
   * @returns {ListedObjects}
   */
  static of({ prefix, buckets, shards, limit, listings }) {
    const starts = startsOf(listings.map(({ count }) => count));
    const keyStarts = startsOf(listings.map(({ keys }) => keys.length));
    const all = starts[buckets.length];
    const state = {
      prefix,
      buckets,
      shards,
      starts,
      keys: new SharedArrayBuffer(keyStarts[buckets.length]),
      ends: new Uint32Array(new SharedArrayBuffer(4 * (all + 1))),
      sizes: new Float64Array(new SharedArrayBuffer(8 * all)),
      digests: new Uint32Array(new SharedArrayBuffer(4 * all)),
      order: new Uint32Array(new SharedArrayBuffer(4 * Math.min(all, limit))),
    };
    const keys = Buffer.from(state.keys);
    for (const [slot, listing] of listings.entries()) {
      listing.keys.copy(keys, keyStarts[slot]);
      for (let position = 0; position < listing.count; position++) {
        state.ends[starts[slot] + position + 1] = keyStarts[slot] + listing.ends[position];
      }
      state.sizes.set(listing.sizes, starts[slot]);
      state.digests.set(listing.digests, starts[slot]);
    }
    fillOrder(state.order, starts);
    return new ListedObjects(state);
  }

  get count() {
    return this.state.order.length;
  }

  get largest() {
    const { order, sizes } = this.state;
    return order.reduce((largest, position) => Math.max(largest, sizes[position]), 0);
  }

  /** The distribution of sizes; undefined if all objects have the same size. @returns {SizeDistribution | undefined} */
  get sizes() {
    return listedSizes(Float64Array.from(this.state.order, (position) => this.state.sizes[position])).sizes;
  }

  /** @param {number} index */
  slotOf(index) {
    const position = this.#positionOf(index);
    let slot = 0;
    while (this.state.starts[slot + 1] <= position) {
      slot += 1;
    }
    return slot;
  }

  /** @param {number} index */
  keyOf(index) {
    return this.#keyAt(this.#positionOf(index));
  }

  /** The digest of the object's ETag; 0 if the listing has none. @param {number} index */
  etagDigestOf(index) {
    return this.state.digests[this.#positionOf(index)];
  }

  /** Increases with the key within a bucket. @param {number} index */
  spreadOf(index) {
    return this.#positionOf(index);
  }

  /** The preceding key in the object's bucket; '' for the first object. @param {number} index */
  beforeKeyOf(index) {
    const position = this.#positionOf(index);
    return this.state.starts.includes(position) ? '' : this.#keyAt(position - 1);
  }

  /** Unsupported: only objects of the run are copied. @returns {string} */
  copyKeyOf() {
    throw new RangeError('expected objects that the run writes itself');
  }

  /** No listed object belongs to the run. */
  recogniseName() {
    return null;
  }

  /** @param {number} index */
  #positionOf(index) {
    return this.state.order[Math.floor(index / this.state.shards)];
  }

  /** @param {number} position in the whole list */
  #keyAt(position) {
    return this.#keys.toString('utf8', this.state.ends[position], this.state.ends[position + 1]);
  }
}

/**
 * Assigns an existing object to a host of the run. The result depends only on bucket and key, so that hosts agree even
 * if objects appear or disappear between their listings.
 *
 * @param {string} bucket
 * @param {string} key
 * @param {number} shards
 * @returns {number} zero-based
 */
export function shardOf(bucket, key, shards) {
  return shards === 1 ? 0 : seedOf(`${bucket}/${key}`) % shards;
}

/** @param {readonly number[]} lengths @returns {number[]} where each part starts, followed by the end of the last one */
function startsOf(lengths) {
  let end = 0;
  return [0, ...lengths.map((length) => (end += length))];
}

/**
 * @param {Uint32Array} order positions in the whole list, by local index
 * @param {readonly number[]} starts
 */
function fillOrder(order, starts) {
  let local = 0;
  for (let round = 0; local < order.length; round++) {
    for (let slot = 0; slot + 1 < starts.length && local < order.length; slot++) {
      if (starts[slot] + round < starts[slot + 1]) {
        order[local] = starts[slot] + round;
        local += 1;
      }
    }
  }
}
