import { seedOf } from './mix.js';

/**
 * @import { SizeDistribution } from '../model/config.js'
 * @import { Places } from './keyspace.js'
 */

const MD5_BYTES = 16;

/** Shared memory per object, in addition to its key. */
const BYTES_PER_OBJECT = 4 + 8 + 4 + 1 + MD5_BYTES + 4;

/** Enough for about five million objects. Building the list takes three times as much memory. */
export const MAX_LIST_BYTES = 2 ** 29;

/**
 * @typedef {object} ListedObject
 * @property {Buffer} key as UTF-8
 * @property {number} size bytes
 * @property {number} etagDigest see object-connection.js; 0 if the listing has no ETag
 * @property {Buffer | null} md5 the 16 bytes of the ETag if it looks like an MD5; null otherwise
 */

class PackedBytes {
  #memory = Buffer.alloc(64 * 1024);
  length = 0;

  /** @param {Buffer} bytes */
  add(bytes) {
    if (this.length + bytes.length > this.#memory.length) {
      this.#memory = Buffer.concat([this.#memory], 2 * this.#memory.length);
    }
    bytes.copy(this.#memory, this.length);
    this.length += bytes.length;
  }

  get bytes() {
    return this.#memory.subarray(0, this.length);
  }
}

/** Collects the objects of one bucket during a listing, in key order. */
export class BucketListing {
  #keys = new PackedBytes();
  #md5s = new PackedBytes();
  /** @type {number[]} */
  ends = [];
  /** @type {number[]} */
  sizes = [];
  /** @type {number[]} */
  digests = [];
  /** Indices of objects with a known MD5. @type {number[]} */
  withMd5 = [];

  /** @param {ListedObject} object */
  add({ key, size, etagDigest, md5 }) {
    if (md5 !== null) {
      this.withMd5.push(this.count);
      this.#md5s.add(md5);
    }
    this.#keys.add(key);
    this.ends.push(this.#keys.length);
    this.sizes.push(size);
    this.digests.push(etagDigest);
  }

  get count() {
    return this.ends.length;
  }

  get keys() {
    return this.#keys.bytes;
  }

  /** MD5s of the objects in {@link withMd5}, 16 bytes each. */
  get md5s() {
    return this.#md5s.bytes;
  }

  get bytes() {
    return this.#keys.length + this.count * BYTES_PER_OBJECT;
  }
}

/**
 * A list that can be shared with other threads: plain values and shared memory.
 *
 * @typedef {object} ListState
 * @property {string} prefix
 * @property {readonly string[]} buckets
 * @property {number} shards of the run
 * @property {number} count of objects
 * @property {readonly number[]} starts of each bucket's objects in the whole list, and the end of the last bucket
 * @property {SharedArrayBuffer} keys
 * @property {SharedArrayBuffer} ends of the keys
 * @property {SharedArrayBuffer} sizes
 * @property {SharedArrayBuffer} digests
 * @property {SharedArrayBuffer} md5s
 * @property {SharedArrayBuffer} hasMd5
 * @property {SharedArrayBuffer} order
 * @property {SharedArrayBuffer} proven
 */

/**
 * Existing objects, as listed by the run. Used instead of a Keyspace. The list is in memory that all workers share.
 * Consecutive local indices alternate between buckets.
 *
 * @implements {Places}
 */
export class ListedObjects {
  #ends;
  #sizes;
  #digests;
  #md5s;
  #hasMd5;
  #order;
  #keys;
  /** For each bucket, whether a read has shown that the ETag of one of its objects is that object's MD5. */
  #proven;

  /** @param {ListState} state */
  constructor(state) {
    /** Can be sent to another thread. */
    this.state = state;
    this.buckets = state.buckets;
    this.keyPrefix = state.prefix;
    this.count = state.count;
    this.#keys = Buffer.from(state.keys);
    this.#ends = new Uint32Array(state.ends);
    this.#sizes = new Float64Array(state.sizes);
    this.#digests = new Uint32Array(state.digests);
    this.#md5s = Buffer.from(state.md5s);
    this.#hasMd5 = new Uint8Array(state.hasMd5);
    this.#order = new Uint32Array(state.order);
    this.#proven = new Uint8Array(state.proven);
    /** @type {(index: number) => number} bytes of an object */
    this.sizeOf = (index) => this.#sizes[this.#positionOf(index)];
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
    const starts = [0];
    listings.forEach(({ count }) => starts.push(/** @type {number} */ (starts.at(-1)) + count));
    const all = /** @type {number} */ (starts.at(-1));
    const count = Math.min(all, limit);
    const share = (/** @type {number} */ bytes) => new SharedArrayBuffer(bytes);
    const keyBytes = listings.reduce((sum, { keys }) => sum + keys.length, 0);
    const state = {
      prefix,
      buckets,
      shards,
      count,
      starts,
      keys: share(keyBytes),
      ends: share(4 * (all + 1)),
      sizes: share(8 * all),
      digests: share(4 * all),
      md5s: share(MD5_BYTES * all),
      hasMd5: share(all),
      order: share(4 * count),
      proven: share(buckets.length),
    };
    fill(state, listings);
    return new ListedObjects(state);
  }

  get largest() {
    let largest = 0;
    for (const position of this.#order) {
      largest = Math.max(largest, this.#sizes[position]);
    }
    return largest;
  }

  /** The distribution of sizes; undefined if all objects have the same size. @returns {SizeDistribution | undefined} */
  get sizes() {
    const sorted = Float64Array.from(this.#order, (position) => this.#sizes[position]).sort();
    const last = sorted.length - 1;
    return sorted[0] === sorted[last]
      ? undefined
      : {
          kind: 'listed',
          quantiles: Array.from({ length: 101 }, (_, percent) => sorted[Math.floor((percent * last) / 100)]),
        };
  }

  /** Number of objects whose ETag looks like an MD5. */
  get withMd5() {
    return this.#order.reduce((sum, position) => sum + this.#hasMd5[position], 0);
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
    return this.#digests[this.#positionOf(index)];
  }

  /**
   * @param {number} index
   * @returns {Buffer | null} the ETag if it looks like an MD5: it may be the MD5 of the object's bytes
   */
  md5Of(index) {
    const position = this.#positionOf(index);
    return this.#hasMd5[position] === 0 ? null : this.#md5s.subarray(MD5_BYTES * position, MD5_BYTES * (position + 1));
  }

  /** @param {number} slot of a bucket in which one ETag was its object's MD5, so that all others must be as well */
  proveMd5(slot) {
    this.#proven[slot] = 1;
  }

  /** @param {number} slot */
  provesMd5(slot) {
    return this.#proven[slot] === 1;
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
    return this.#order[Math.floor(index / this.state.shards)];
  }

  /** @param {number} position in the whole list */
  #keyAt(position) {
    return this.#keys.toString('utf8', this.#ends[position], this.#ends[position + 1]);
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

/**
 * @param {ListState} state whose memory this fills
 * @param {readonly BucketListing[]} listings
 */
function fill({ keys, ends, sizes, digests, md5s, hasMd5, order, count, starts }, listings) {
  const [allKeys, allMd5s] = [Buffer.from(keys), Buffer.from(md5s)];
  const [allEnds, allSizes] = [new Uint32Array(ends), new Float64Array(sizes)];
  const [allDigests, flags] = [new Uint32Array(digests), new Uint8Array(hasMd5)];
  let keyStart = 0;
  for (const [slot, listing] of listings.entries()) {
    const start = starts[slot];
    listing.keys.copy(allKeys, keyStart);
    for (let position = 0; position < listing.count; position++) {
      allEnds[start + position + 1] = keyStart + listing.ends[position];
    }
    for (const [number, position] of listing.withMd5.entries()) {
      flags[start + position] = 1;
      listing.md5s.copy(allMd5s, MD5_BYTES * (start + position), MD5_BYTES * number, MD5_BYTES * (number + 1));
    }
    allSizes.set(listing.sizes, start);
    allDigests.set(listing.digests, start);
    keyStart += listing.keys.length;
  }
  fillOrder(new Uint32Array(order), starts, count);
}

/**
 * @param {Uint32Array} order index in the whole list, by local index
 * @param {readonly number[]} starts
 * @param {number} count
 */
function fillOrder(order, starts, count) {
  let local = 0;
  for (let round = 0; local < count; round++) {
    for (let slot = 0; slot + 1 < starts.length && local < count; slot++) {
      if (starts[slot] + round < starts[slot + 1]) {
        order[local] = starts[slot] + round;
        local += 1;
      }
    }
  }
}
