/** @import { Keyspace } from './keyspace.js' */

const MAX_BUCKETS = 32;

/** Minimum objects to see before concluding that the list has more buckets: with fewer, this can be a coincidence. */
const MIN_EVIDENCE = 24;

/** Reconstructs a run's list of buckets: an object's name and the length of the list determine its bucket's index. */
export class BucketList {
  #keyspace;
  #seen = 0;
  #isGivenRefuted = false;
  /** Lists consistent with every object seen, by length; null for a bucket not seen yet. @type {(string | null)[][]} */
  #fitting;

  /** @param {Keyspace} keyspace of the run, with the given buckets */
  constructor(keyspace) {
    this.#keyspace = keyspace;
    const lengths = Math.max(MAX_BUCKETS, keyspace.buckets.length);
    this.#fitting = Array.from({ length: lengths }, (_, index) => Array.from({ length: index + 1 }, () => null));
  }

  /**
   * @param {number} index of one of the run's objects
   * @param {string} bucket that holds it
   */
  see(index, bucket) {
    this.#seen += 1;
    this.#isGivenRefuted ||= this.#keyspace.bucketOf(index) !== bucket;
    if (!this.#fitting.every((list) => this.#fits(list, index, bucket))) {
      this.#fitting = this.#fitting.filter((list) => this.#fits(list, index, bucket));
    }
  }

  /**
   * @returns {readonly (string | null)[] | null} the run's buckets in order if they differ from the given ones, with
   *   null for an unknown bucket; null if the given buckets fit, or if no list does
   */
  other() {
    const { buckets } = this.#keyspace;
    if (!this.#isGivenRefuted) {
      const longer = this.#fitting.find(({ length }) => length > buckets.length);
      return this.#seen >= MIN_EVIDENCE ? (longer ?? null) : null;
    }
    const reordered = this.#fitting.find(({ length }) => length === buckets.length);
    if (reordered !== undefined) {
      const rest = buckets.filter((bucket) => !reordered.includes(bucket));
      return reordered.map((bucket) => bucket ?? /** @type {string} */ (rest.shift()));
    }
    return this.#fitting.find((list) => !list.includes(null)) ?? this.#fitting[0] ?? null;
  }

  /**
   * @param {(string | null)[]} list gains the bucket if it fits
   * @param {number} index
   * @param {string} bucket
   */
  #fits(list, index, bucket) {
    const slot = this.#keyspace.slotOf(index, list.length);
    if (list[slot] === null && !list.includes(bucket)) {
      list[slot] = bucket;
    }
    return list[slot] === bucket;
  }
}
