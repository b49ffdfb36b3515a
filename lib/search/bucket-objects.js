import { sumOf } from '../statistics/moments.js';

/** @import { Effects, Range } from './search-objects.js' */

/**
 * Chooses the objects for each step of a search over buckets. A step uses the first n buckets. Objects are counted per
 * bucket, so that each bucket's existing objects have no gaps, and where an object is stored depends only on the run's
 * list of buckets, not on the buckets of a step. Write takes the next objects of each bucket; Read and Stat cycle
 * through the objects that all buckets of the step have; Copy and Remove use each of these objects once.
 */
export class BucketObjects {
  #most;
  /** Objects that each bucket has. @type {number[]} */
  #existing;
  /** Objects of each bucket that the stage has used. @type {number[]} */
  #used;

  /**
   * @param {{ objects: number, buckets: number, exist: boolean }} options `objects`: total that exists or can be
   *   written; `exist`: whether they exist before the run
   */
  constructor({ objects, buckets, exist }) {
    this.#most = objects;
    this.#existing = Array.from({ length: buckets }, () => (exist ? Math.floor(objects / buckets) : 0));
    this.#used = this.#existing.map(() => 0);
  }

  /** Number of existing objects, or of those that can be written if none exist. */
  get count() {
    const existing = sumOf(this.#existing);
    return existing === 0 ? this.#most : existing;
  }

  /** 0, because a later run can use only the first objects of this run, which these are not. */
  get wholeCount() {
    return 0;
  }

  get hasHalves() {
    return false;
  }

  /** Operations that the objects allow in all steps of the stage together. @param {Effects} stage */
  countFor(stage) {
    return stage.copies || stage.removes ? sumOf(this.#existing) - sumOf(this.#used) : this.countIn(stage, 1);
  }

  /**
   * @param {Effects} stage
   * @param {number} buckets number of buckets in the step
   * @returns {number} operations that the objects allow in the step
   */
  countIn({ creates, copies, removes }, buckets) {
    const isOnce = copies || removes;
    if (creates) {
      return this.#most - sumOf(this.#used);
    }
    const left = this.#existing.slice(0, buckets).map((count, bucket) => count - (isOnce ? this.#used[bucket] : 0));
    const all = buckets * Math.min(...left);
    return isOnce || all === 0 ? all : Infinity;
  }

  /**
   * @param {Effects} stage
   * @param {boolean} _isHalfSize
   * @param {number} most maximum number of objects
   * @param {number} [buckets] number of buckets in the step
   * @returns {Range} takes objects from each bucket in turn; see Load
   */
  rangeFor(stage, _isHalfSize, most, buckets = 1) {
    if (stage.creates || stage.copies || stage.removes) {
      const count = Math.min(most, this.countIn(stage, buckets));
      return { first: 0, count, cycles: false, bucketStarts: this.#used.slice(0, buckets) };
    }
    const bucketStarts = Array.from({ length: buckets }, () => 0);
    return { first: 0, count: buckets * Math.min(...this.#existing.slice(0, buckets)), cycles: true, bucketStarts };
  }

  /**
   * @param {Effects} stage
   * @param {boolean} _isHalfSize
   * @param {number} count number of objects of the range that were used
   * @param {number} [buckets] number of buckets in the step
   */
  use({ creates, copies, removes }, _isHalfSize, count, buckets = 1) {
    if (creates || copies || removes) {
      for (let bucket = 0; bucket < buckets; bucket++) {
        this.#used[bucket] += Math.ceil((count - bucket) / buckets);
      }
    }
  }

  /** @param {Effects} stage that has ended */
  stageEnds({ creates }) {
    if (creates) {
      this.#existing = this.#used;
    }
    this.#used = this.#existing.map(() => 0);
  }
}
