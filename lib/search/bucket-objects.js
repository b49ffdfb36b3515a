import { sumOf } from '../statistics/moments.js';

/**
 * @import { Effects, Range } from './search-objects.js'
 */

/**
 * Which objects the steps of a search over buckets work on, of which each uses the first so many buckets. Each bucket's
 * objects are counted by themselves, so that those which are there have no gap: where an object is follows from the run's
 * list of buckets alone, as always. Write takes the next ones of each bucket; Read and Stat go round among what all buckets
 * of the step have; Remove goes through it once.
 */
export class BucketObjects {
  #most;
  /** Objects that each bucket has. @type {number[]} */
  #there;
  /** Objects of each bucket that the stage has used. @type {number[]} */
  #used;

  /**
   * @param {object} options
   * @param {number} options.objects that may be written, or that are there where the run does not write
   * @param {number} options.buckets
   * @param {boolean} options.areThere whether the run finds its objects
   */
  constructor({ objects, buckets, areThere }) {
    this.#most = objects;
    this.#there = Array.from({ length: buckets }, () => (areThere ? Math.floor(objects / buckets) : 0));
    this.#used = this.#there.map(() => 0);
  }

  /** Objects that the stages after Write have, or that Write may write. */
  get count() {
    const there = sumOf(this.#there);
    return there === 0 ? this.#most : there;
  }

  /** Objects that a later run could count on: none, for they are not the first ones of the run. */
  get wholeCount() {
    return 0;
  }

  /** There are none of half the size. */
  get hasHalves() {
    return false;
  }

  /**
   * @param {Effects} stage
   * @returns {number} operations that all of its steps together can make of them
   */
  countFor(stage) {
    return stage.copies || stage.removes ? sumOf(this.#there) - sumOf(this.#used) : this.countIn(stage, 1);
  }

  /**
   * @param {Effects} stage
   * @param {number} buckets of a step, the first of all
   * @returns {number} operations that the step can make of them, in turn
   */
  countIn({ creates, copies, removes }, buckets) {
    const isOnce = copies || removes;
    if (creates) {
      return this.#most - sumOf(this.#used);
    }
    const left = this.#there.slice(0, buckets).map((count, bucket) => count - (isOnce ? this.#used[bucket] : 0));
    const all = buckets * Math.min(...left);
    return isOnce || all === 0 ? all : Infinity;
  }

  /**
   * @param {Effects} stage
   * @param {boolean} _isHalfSize
   * @param {number} most objects
   * @param {number} [buckets] of the step
   * @returns {Range} of objects in turn: see Load
   */
  rangeFor(stage, _isHalfSize, most, buckets = 1) {
    if (stage.creates || stage.copies || stage.removes) {
      const count = Math.min(most, this.countIn(stage, buckets));
      return { first: 0, count, goesRound: false, bucketStarts: this.#used.slice(0, buckets) };
    }
    const bucketStarts = Array.from({ length: buckets }, () => 0);
    return { first: 0, count: buckets * Math.min(...this.#there.slice(0, buckets)), goesRound: true, bucketStarts };
  }

  /**
   * @param {Effects} stage
   * @param {boolean} _isHalfSize
   * @param {number} count objects of the range that were used
   * @param {number} [buckets] of the step
   */
  use({ creates, copies, removes }, _isHalfSize, count, buckets = 1) {
    if (creates || copies || removes) {
      for (let bucket = 0; bucket < buckets; bucket++) {
        this.#used[bucket] += Math.ceil((count - bucket) / buckets);
      }
    }
  }

  /**
   * What a stage has written is there for those after it.
   *
   * @param {Effects} stage that has ended
   */
  stageEnds({ creates }) {
    if (creates) {
      this.#there = this.#used;
    }
    this.#used = this.#there.map(() => 0);
  }
}
