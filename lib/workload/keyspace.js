import { mixIndex, seedOf } from './mix.js';

const RUN_ID_PATTERN = /^[A-Za-z0-9._-]{1,64}$/;
const PREFIX_PATTERN = /^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/;
const DOTS_ALONE = /^\.+$/;
const OBJECT_NAME_PATTERN = /^[0-9a-f]{8}-(0|[1-9][0-9]{0,15})$/;

/** Leaves room for a run id and an object's name below the 1,024 bytes that S3 allows a key. */
const MAXIMUM_PREFIX_LENGTH = 512;

/**
 * A run id becomes a part of every key: it must neither widen the prefix nor need escaping.
 *
 * @param {string} runId
 * @returns {boolean}
 */
export function isRunId(runId) {
  return RUN_ID_PATTERN.test(runId) && !DOTS_ALONE.test(runId);
}

/**
 * @param {string} prefix what stands before `/<run id>/` in every key
 * @returns {boolean}
 */
export function isPrefix(prefix) {
  return (
    prefix.length <= MAXIMUM_PREFIX_LENGTH &&
    PREFIX_PATTERN.test(prefix) &&
    !prefix.split('/').some((segment) => DOTS_ALONE.test(segment))
  );
}

/**
 * Where each object of a run lives. Bucket and key of object i are pure functions of (run id, i), so that any host
 * that knows the run id can read, stat or remove the same objects, and a listed key can be checked to be the run's own.
 */
export class Keyspace {
  #seed;

  /**
   * @param {object} layout
   * @param {string} layout.runId
   * @param {string} layout.prefix
   * @param {readonly string[]} layout.buckets
   */
  constructor({ runId, prefix, buckets }) {
    this.runId = runId;
    this.buckets = buckets;
    /** What every key of the run begins with. */
    this.keyPrefix = `${prefix}/${runId}/`;
    this.#seed = seedOf(runId);
  }

  /**
   * Each block of as many objects as there are buckets meets every bucket once, in an order that changes from block to
   * block: consecutive indices are spread exactly evenly, and hosts that take every Nth index are not stuck to one bucket.
   *
   * @param {number} index
   * @returns {string}
   */
  bucketOf(index) {
    const count = this.buckets.length;
    if (count === 1) {
      return this.buckets[0];
    }
    const block = Math.floor(index / count);
    return this.buckets[(index + mixIndex(block, this.#seed)) % count];
  }

  /**
   * The hexadecimal digits in front spread the keys over the store's key space; the index behind them can be read back.
   *
   * @param {number} index
   * @returns {string}
   */
  keyOf(index) {
    const spread = mixIndex(index, this.#seed).toString(16).padStart(8, '0');
    return `${this.keyPrefix}${spread}-${index}`;
  }

  /**
   * The index of a listed object, or -1 for one that this run cannot have written.
   *
   * @param {string} bucket
   * @param {string} key
   * @returns {number}
   */
  indexOf(bucket, key) {
    if (!key.startsWith(this.keyPrefix)) {
      return -1;
    }
    const match = OBJECT_NAME_PATTERN.exec(key.slice(this.keyPrefix.length));
    if (match === null) {
      return -1;
    }
    const index = Number(match[1]);
    return Number.isSafeInteger(index) && this.keyOf(index) === key && this.bucketOf(index) === bucket ? index : -1;
  }
}
