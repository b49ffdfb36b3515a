import { seedOf } from './mix.js';

/**
 * @import { SizeDistribution } from '../model/config.js'
 * @import { Places } from './keyspace.js'
 */

const MD5_BYTES = 16;

/** Bytes of shared memory for an object, in addition to its key. */
const BYTES_AN_OBJECT = 4 + 8 + 4 + 1 + MD5_BYTES + 4;

/** A list may have so many bytes: some five million objects. While it is put together it takes three times as much. */
export const MAX_LIST_BYTES = 2 ** 29;

/**
 * An object as a list names it.
 *
 * @typedef {object} ListedObject
 * @property {Buffer} key as UTF-8
 * @property {number} size bytes
 * @property {number} etagDigest see object-connection.js; 0 where the list names no ETag
 * @property {Buffer | null} md5 of its bytes, where the ETag has the form of one; 16 bytes
 */

/** Bytes one after the other, in memory that grows with them. */
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

/** The objects of one bucket, while they are listed. They come in the order of their keys. */
export class BucketListing {
  #keys = new PackedBytes();
  #md5s = new PackedBytes();
  /** @type {number[]} */
  ends = [];
  /** @type {number[]} */
  sizes = [];
  /** @type {number[]} */
  digests = [];
  /** Places of those objects whose MD5s are known, from 0. @type {number[]} */
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

  /** Objects so far. */
  get count() {
    return this.ends.length;
  }

  /** Of all keys, one after the other. */
  get keys() {
    return this.#keys.bytes;
  }

  /** Those of the objects in {@link withMd5}, 16 bytes each. */
  get md5s() {
    return this.#md5s.bytes;
  }

  /** Bytes of memory that the objects take. */
  get bytes() {
    return this.#keys.length + this.count * BYTES_AN_OBJECT;
  }
}

/**
 * A list in a form that can be shared with other threads: plain values and shared memory.
 *
 * @typedef {object} ListState
 * @property {string} prefix
 * @property {readonly string[]} buckets
 * @property {number} shards of the run
 * @property {number} count objects
 * @property {readonly number[]} starts of each bucket's objects among all, and the end of the last ones
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
 * Objects that were in the buckets before the run, as it has listed them: in place of a keyspace, whose objects the run makes
 * itself. What is known of them lies packed in memory that all cores share. Local indices take the buckets by turns.
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
  /** Of each bucket, whether an object's bytes have had the MD5 that is its ETag. */
  #proven;

  /** @param {ListState} state */
  constructor(state) {
    /** As another thread takes it. */
    this.state = state;
    this.buckets = state.buckets;
    /** What every key begins with. */
    this.keyPrefix = state.prefix;
    /** Objects. */
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
    this.sizeOf = (index) => this.#sizes[this.#placeOf(index)];
  }

  /**
   * @param {object} options
   * @param {string} options.prefix
   * @param {readonly string[]} options.buckets
   * @param {number} options.shards of the run: indices are those of the whole run
   * @param {number} options.limit of the objects: the first of each bucket by turns are taken
   * @param {readonly BucketListing[]} options.listings of the buckets, in their order
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
      ...{ prefix, buckets, shards, count, starts },
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

  /** Bytes of the largest object. */
  get largest() {
    let largest = 0;
    for (const place of this.#order) {
      largest = Math.max(largest, this.#sizes[place]);
    }
    return largest;
  }

  /** How large the objects are; undefined where all are of one size. @returns {SizeDistribution | undefined} */
  get sizes() {
    const sorted = Float64Array.from(this.#order, (place) => this.#sizes[place]).sort();
    const last = sorted.length - 1;
    return sorted[0] === sorted[last]
      ? undefined
      : {
          kind: 'listed',
          quantiles: Array.from({ length: 101 }, (_, percent) => sorted[Math.floor((percent * last) / 100)]),
        };
  }

  /** Objects whose ETag has the form of an MD5. */
  get withMd5() {
    return this.#order.reduce((sum, place) => sum + this.#hasMd5[place], 0);
  }

  /** @param {number} index */
  slotOf(index) {
    const place = this.#placeOf(index);
    let slot = 0;
    while (this.state.starts[slot + 1] <= place) {
      slot += 1;
    }
    return slot;
  }

  /** @param {number} index */
  keyOf(index) {
    return this.#keyAt(this.#placeOf(index));
  }

  /**
   * @param {number} index
   * @returns {number} the digest of the object's ETag; 0 where the list named none
   */
  etagDigestOf(index) {
    return this.#digests[this.#placeOf(index)];
  }

  /**
   * @param {number} index
   * @returns {Buffer | null} the MD5 of the object's bytes, if that is what its ETag is; null where it does not look like one
   */
  md5Of(index) {
    const place = this.#placeOf(index);
    return this.#hasMd5[place] === 0 ? null : this.#md5s.subarray(MD5_BYTES * place, MD5_BYTES * (place + 1));
  }

  /** @param {number} slot of a bucket of which an object's bytes have the MD5 that is its ETag: so others of it are, too */
  proveMd5(slot) {
    this.#proven[slot] = 1;
  }

  /**
   * @param {number} slot
   * @returns {boolean}
   */
  provesMd5(slot) {
    return this.#proven[slot] === 1;
  }

  /**
   * The objects of a bucket are in the order of their keys.
   *
   * @param {number} index
   */
  spreadOf(index) {
    return this.#placeOf(index);
  }

  /**
   * @param {number} index
   * @returns {string} the key before that of the object in its bucket; '' where it is the first one
   */
  beforeKeyOf(index) {
    const place = this.#placeOf(index);
    return this.state.starts.includes(place) ? '' : this.#keyAt(place - 1);
  }

  /**
   * A search over buckets, which asks for it, does not go with objects that are spread as they are.
   *
   * @returns {number}
   */
  indexIn() {
    throw new RangeError('expected objects that the run spreads itself');
  }

  /**
   * Nothing is copied that is not the run's.
   *
   * @returns {string}
   */
  copyKeyOf() {
    throw new RangeError('expected objects that the run writes itself');
  }

  /** None of them is the run's. */
  recogniseName() {
    return null;
  }

  /** @param {number} index */
  #placeOf(index) {
    return this.#order[Math.floor(index / this.state.shards)];
  }

  /** @param {number} place among all that were listed */
  #keyAt(place) {
    return this.#keys.toString('utf8', this.#ends[place], this.#ends[place + 1]);
  }
}

/**
 * Which host of a run an existing object falls to: a pure function of bucket and key, so that hosts agree also where objects
 * come and go between their lists.
 *
 * @param {string} bucket
 * @param {string} key
 * @param {number} shards
 * @returns {number} from 0
 */
export function shardOf(bucket, key, shards) {
  return shards === 1 ? 0 : seedOf(`${bucket}/${key}`) % shards;
}

/**
 * @param {ListState} state whose memory is filled
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
    for (let place = 0; place < listing.count; place++) {
      allEnds[start + place + 1] = keyStart + listing.ends[place];
    }
    for (const [number, place] of listing.withMd5.entries()) {
      flags[start + place] = 1;
      listing.md5s.copy(allMd5s, MD5_BYTES * (start + place), MD5_BYTES * number, MD5_BYTES * (number + 1));
    }
    allSizes.set(listing.sizes, start);
    allDigests.set(listing.digests, start);
    keyStart += listing.keys.length;
  }
  fillOrder(new Uint32Array(order), starts, count);
}

/**
 * @param {Uint32Array} order place among all that were listed, by local index
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
