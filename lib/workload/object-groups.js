import { globalIndex } from './shard.js';

/**
 * @import { Shard } from '../model/config.js'
 * @import { Keyspace } from './keyspace.js'
 */

/**
 * Objects of one bucket that one operation is about.
 *
 * @typedef {object} ObjectGroup
 * @property {number} slot of the bucket among those of the run
 * @property {Uint32Array} locals local indices of the objects, in their order; a view, not to be written to
 * @property {boolean} isLast whether none of the bucket comes after it
 * @property {number} next local index of the object that comes after it in the bucket; -1 where there is none
 */

/**
 * Divides the objects of a stage into groups of so many, each of which has objects of one bucket alone. The groups of the
 * buckets come by turns. Four bytes an object.
 */
export class ObjectGroups {
  #size;
  /** Local indices, those of a bucket together. */
  #locals;
  /** Where those of each bucket begin, and where the last ones end. */
  #starts;
  /** Groups that every bucket has; only buckets with more objects have further ones. */
  #common;
  /** The buckets of the further groups. @type {number[]} */
  #further = [];

  /**
   * @param {object} options
   * @param {Pick<Keyspace, 'buckets' | 'slotOf' | 'spreadOf'>} options.keyspace
   * @param {Shard} options.shard
   * @param {number} options.first local index of the first object
   * @param {number} options.objects
   * @param {number} options.size objects of a group; the last one of a bucket may have fewer
   * @param {boolean} options.isByKey whether those of a bucket are in the order of their keys, as a store lists them;
   *   otherwise they are in that of their indices
   */
  constructor({ keyspace, shard, first, objects, size, isByKey }) {
    const { buckets } = keyspace;
    this.#size = size;
    const slotOf = (/** @type {number} */ local) => keyspace.slotOf(globalIndex(shard, local), buckets.length);
    this.#starts = startsOf(buckets.length, first, objects, slotOf);
    this.#locals = new Uint32Array(objects);
    const ends = this.#starts.slice(0, -1);
    for (let local = first; local < first + objects; local++) {
      this.#locals[ends[slotOf(local)]++] = local;
    }
    if (isByKey) {
      const spreadOf = (/** @type {number} */ local) => keyspace.spreadOf(globalIndex(shard, local));
      buckets.forEach((_, slot) => sortBy(this.#localsOf(slot), spreadOf));
    }
    const counts = buckets.map((_, slot) => Math.ceil(this.#localsOf(slot).length / size));
    this.#common = Math.min(...counts);
    for (let round = this.#common; round < Math.max(...counts); round++) {
      this.#further.push(...counts.flatMap((count, slot) => (count > round ? [slot] : [])));
    }
  }

  /** Groups of all buckets. */
  get count() {
    return this.#common * (this.#starts.length - 1) + this.#further.length;
  }

  /**
   * @param {number} number from 0
   * @returns {ObjectGroup}
   */
  at(number) {
    const buckets = this.#starts.length - 1;
    const place = number - this.#common * buckets;
    const slot = place < 0 ? number % buckets : this.#further[place];
    const round = place < 0 ? Math.floor(number / buckets) : this.#common + this.#furtherBefore(place, slot);
    const all = this.#localsOf(slot);
    const end = (round + 1) * this.#size;
    const isLast = end >= all.length;
    return { slot, locals: all.subarray(round * this.#size, end), isLast, next: isLast ? -1 : all[end] };
  }

  /**
   * @param {number} place among the further groups
   * @param {number} slot
   * @returns {number} further groups of the bucket that come before
   */
  #furtherBefore(place, slot) {
    let before = 0;
    for (let earlier = 0; earlier < place; earlier++) {
      before += Number(this.#further[earlier] === slot);
    }
    return before;
  }

  /** @param {number} slot */
  #localsOf(slot) {
    return this.#locals.subarray(this.#starts[slot], this.#starts[slot + 1]);
  }
}

/**
 * How many operations it takes to do something once with each object, where the objects are spread evenly.
 *
 * @param {number} objects
 * @param {number} buckets
 * @param {number} size objects of an operation at most, all of one bucket
 * @returns {number}
 */
export function groupsOf(objects, buckets, size) {
  const even = Math.floor(objects / buckets);
  const larger = objects % buckets;
  return larger * Math.ceil((even + 1) / size) + (buckets - larger) * Math.ceil(even / size);
}

/**
 * @param {number} buckets
 * @param {number} first
 * @param {number} objects
 * @param {(local: number) => number} slotOf
 * @returns {Uint32Array} where the objects of each bucket begin, if those of a bucket stand together, and the end of all
 */
function startsOf(buckets, first, objects, slotOf) {
  const starts = new Uint32Array(buckets + 1);
  for (let local = first; local < first + objects; local++) {
    starts[slotOf(local) + 1] += 1;
  }
  for (let slot = 0; slot < buckets; slot++) {
    starts[slot + 1] += starts[slot];
  }
  return starts;
}

/** Of the two halves of a 64-bit number in memory, the place of the one that counts less. */
const LOW_HALF = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 0 : 1;

/**
 * Sorts millions of numbers in the time that a function for comparing them would take for a tenth of them.
 *
 * @param {Uint32Array} values
 * @param {(value: number) => number} rankOf an unsigned 32-bit integer
 */
function sortBy(values, rankOf) {
  const ranked = new BigUint64Array(values.length);
  const halves = new Uint32Array(ranked.buffer);
  values.forEach((value, place) => {
    halves[2 * place + LOW_HALF] = value;
    halves[2 * place + 1 - LOW_HALF] = rankOf(value);
  });
  ranked.sort();
  values.forEach((_, place) => {
    values[place] = halves[2 * place + LOW_HALF];
  });
}
