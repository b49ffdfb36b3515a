import { hash as digestOf } from 'node:crypto';
import { MAX_PUT_BYTES } from '../operations/multipart.js';
import { OPERATIONS } from '../operations/registry.js';
import { isOfShard } from '../workload/keyspace.js';

/**
 * @import { Shard } from '../../result/config.js'
 * @import { LoggedRequest } from './log-formats.js'
 */

/** At some 50 bytes per request, they take 1 GB. */
export const MAX_REQUESTS = 20_000_000;

const MAX_AMOUNT = 2 ** 32 - 1;
const MAX_ACTIONS = 100;
const NOT_MODIFIED = 304;
const FIRST_FAILURE = 400;

/** The operation that repeats each action of a log. @type {Readonly<Record<string, string>>} */
const OPERATION_OF = Object.freeze({
  GetObject: 'read',
  HeadObject: 'stat',
  PutObject: 'write',
  CompleteMultipartUpload: 'write',
  CopyObject: 'copy',
  DeleteObject: 'remove',
  DeleteObjects: 'batch-remove',
  ListObjectsV1: 'list',
  ListObjectsV2: 'list',
  'REST.GET.OBJECT': 'read',
  'REST.HEAD.OBJECT': 'stat',
  'REST.PUT.OBJECT': 'write',
  'REST.POST.OBJECT': 'write',
  'REST.POST.UPLOAD': 'write',
  'REST.COPY.OBJECT': 'copy',
  'REST.DELETE.OBJECT': 'remove',
  'BATCH.DELETE.OBJECT': 'batch-remove',
  'REST.GET.BUCKET': 'list',
});

/** @type {Map<string, number>} */
const CODES = new Map(OPERATIONS.map(({ name }, code) => [name, code]));

/** Codes by action, and by the names of the operations that a log can contain. */
const ACTIONS = new Map(
  Object.entries(OPERATION_OF).flatMap(([action, name]) => [action, name].map((key) => [key, codeOf(name)])),
);

const [LIST, READ, RANGE, STAT, BATCH] = ['list', 'read', 'range', 'stat', 'batch-remove'].map(codeOf);

/** The index of an operation among OPERATIONS. @param {string} name */
export function codeOf(name) {
  return Number(CODES.get(name));
}

/**
 * @template Values
 * @param {{ new (memory: SharedArrayBuffer): Values, BYTES_PER_ELEMENT: number }} Type
 * @param {number} count
 */
export function shared(Type, count) {
  return new Type(new SharedArrayBuffer(count * Type.BYTES_PER_ELEMENT));
}

/**
 * The requests of logs that a replay repeats, in the order in which they were read. Of the arrays, the operating system
 * provides only those pages that are written.
 */
export class RecordedRequests {
  #shard;
  #keys = new KeyTable();
  #batches = 0;
  /** The number of each batch whose objects have lines of their own, by request. @type {Map<string, number>} */
  #requestNumbers = new Map();
  count = 0;
  /** Epoch ms. */
  times = shared(Float64Array, MAX_REQUESTS);
  /** Index of the operation among OPERATIONS. */
  codes = shared(Uint8Array, MAX_REQUESTS);
  /** Index of the object; for a list, a number that its prefix determines. */
  objects = shared(Uint32Array, MAX_REQUESTS);
  /** Bytes of a range, keys of a list page, or the number of a batch. */
  amounts = shared(Uint32Array, MAX_REQUESTS);
  /** Bytes of each object plus one; 0 if unknown. */
  sizes = new Float64Array(MAX_REQUESTS);
  /** Of all shards. */
  firstAt = Infinity;
  failed = 0;
  /** Objects in batches. */
  batched = 0;
  /** Requests that are not replayed, by action. @type {Map<string, number>} */
  others = new Map();

  /** @param {Shard} shard */
  constructor(shard) {
    this.#shard = shard;
  }

  get keyCount() {
    return this.#keys.count;
  }

  /** @param {LoggedRequest} request */
  add({ time, action, bucket, keys, size, bytes, status, request }) {
    const code = ACTIONS.get(action) ?? ACTIONS.get(action.toLowerCase());
    if (status >= FIRST_FAILURE) {
      this.failed += 1;
      return;
    }
    if (code === undefined || size > MAX_PUT_BYTES) {
      this.#countOther(code === undefined ? action : `${action} of more than 4.9 GiB`);
      return;
    }
    this.firstAt = Math.min(this.firstAt, time);
    const isPart = code === READ && size > 0 && bytes > 0 && bytes < size;
    const actual = isPart ? RANGE : code === READ && status === NOT_MODIFIED ? STAT : code;
    const amount = actual === BATCH ? this.#batchOf(request) : actual === RANGE || actual === LIST ? bytes : 0;
    for (const key of keys) {
      const hash = hashOf(bucket, key);
      if (!isOfShard(this.#shard, hash.high)) {
        continue;
      }
      if (this.count >= MAX_REQUESTS) {
        this.count += 1;
        continue;
      }
      this.batched += Number(actual === BATCH);
      const object = actual === LIST ? hash.low : this.#keys.indexOf(hash);
      this.#put(time, actual, object, Math.min(amount, MAX_AMOUNT));
      if (actual !== LIST && size >= 0) {
        this.sizes[object] = Math.max(this.sizes[object], size + 1);
      }
    }
  }

  /** @param {string} action */
  #countOther(action) {
    const name = this.others.has(action) || this.others.size < MAX_ACTIONS ? action : 'other actions';
    this.others.set(name, (this.others.get(name) ?? 0) + 1);
  }

  /**
   * @param {number} time
   * @param {number} code
   * @param {number} object
   * @param {number} amount
   */
  #put(time, code, object, amount) {
    const index = this.count++;
    this.times[index] = time;
    this.codes[index] = code;
    this.objects[index] = object;
    this.amounts[index] = amount;
  }

  /**
   * @param {string | undefined} request undefined if all its keys are in one line
   * @returns {number} of the batch
   */
  #batchOf(request) {
    if (request === undefined) {
      return ++this.#batches;
    }
    const known = this.#requestNumbers.get(request) ?? ++this.#batches;
    this.#requestNumbers.set(request, known);
    return known;
  }
}

const FIRST_SLOTS = 2 ** 16;
const MAX_FILL = 0.7;

/** Numbers keys in the order in which they are first seen. Keeps a 64-bit hash of each, not the key itself. */
export class KeyTable {
  /** The low and the high half of each key's hash, by index. */
  #hashes = new Uint32Array(2 * MAX_REQUESTS);
  /** The index of the key in each slot, plus one; 0 for a free slot. */
  #slots = new Uint32Array(FIRST_SLOTS);
  count = 0;

  /**
   * @param {KeyHash} hash
   * @returns {number} the index of the key, from 0
   */
  indexOf({ low, high }) {
    if (this.count >= MAX_FILL * this.#slots.length) {
      this.#slots = new Uint32Array(2 * this.#slots.length);
      for (let index = 0; index < this.count; index++) {
        this.#slots[this.#slotOf(this.#hashes[2 * index], this.#hashes[2 * index + 1])] = index + 1;
      }
    }
    const slot = this.#slotOf(low, high);
    if (this.#slots[slot] === 0) {
      this.#hashes[2 * this.count] = low;
      this.#hashes[2 * this.count + 1] = high;
      this.#slots[slot] = ++this.count;
    }
    return this.#slots[slot] - 1;
  }

  /**
   * @param {number} low
   * @param {number} high
   * @returns {number} the slot of the key, or the free slot for it
   */
  #slotOf(low, high) {
    const mask = this.#slots.length - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const at = 2 * (this.#slots[slot] - 1);
      if (at < 0 || (this.#hashes[at] === low && this.#hashes[at + 1] === high)) {
        return slot;
      }
    }
  }
}

/** @typedef {{ low: number, high: number }} KeyHash two unsigned 32-bit integers */

/**
 * Takes 64 bits of a SHA-256: two of 20 million keys collide with a probability of about 1 in 100,000.
 *
 * @param {string} bucket
 * @param {string} key
 * @returns {KeyHash}
 */
export function hashOf(bucket, key) {
  const digest = digestOf('sha256', `${bucket}/${key}`, 'buffer');
  return { low: digest.readUInt32LE(0), high: digest.readUInt32LE(4) };
}
