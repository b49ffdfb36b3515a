/** @import { Keyspace } from './keyspace.js' */

/** Lists of up to so many buckets are tried. */
const MAX_BUCKETS = 32;

/** That fewer objects fit a list of more buckets may be chance. */
const MIN_EVIDENCE = 24;

/**
 * Finds out over which buckets, in which order, a run has written: each name shows the position that its bucket has in the
 * run's list, whatever the length of that list.
 */
export class BucketList {
  #keyspace;
  #seen = 0;
  #isGivenRefuted = false;
  /** The lists that fit all that was seen, by length; without a name where nothing was seen. @type {(string | null)[][]} */
  #fitting;

  /** @param {Keyspace} keyspace of the run, over the buckets that were given */
  constructor(keyspace) {
    this.#keyspace = keyspace;
    const lengths = Math.max(MAX_BUCKETS, keyspace.buckets.length);
    this.#fitting = Array.from({ length: lengths }, (_, place) => Array.from({ length: place + 1 }, () => null));
  }

  /**
   * @param {number} index of an object that bears a name of the run
   * @param {string} bucket that it is in
   */
  see(index, bucket) {
    this.#seen += 1;
    this.#isGivenRefuted ||= this.#keyspace.bucketOf(index) !== bucket;
    if (!this.#fitting.every((list) => this.#fits(list, index, bucket))) {
      this.#fitting = this.#fitting.filter((list) => this.#fits(list, index, bucket));
    }
  }

  /**
   * @returns {readonly (string | null)[] | null} the buckets of the run in their order, where they are not those that were
   *   given; null for one that is not known. Null where the given ones fit, or nothing does
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
   * @param {(string | null)[]} list takes the bucket in, where nothing speaks against it
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
