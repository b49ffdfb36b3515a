import { sumOf } from '../statistics/moments.js';

/** @import { Effects, Range } from './search-objects.js' */

/**
 * The objects for each step of a search over buckets; a step uses the first n buckets. Objects are counted per bucket,
 * so each bucket's existing objects have no gap, and an object's position follows from the run's list of buckets alone.
 * Write takes the next objects of each bucket; Read and Stat cycle through the objects that all buckets of the step
 * have; Remove takes each of them once.
 */
export class BucketObjects {
  #most;
  /** Objects that each bucket has. @type {number[]} */
  #existing;
  /** Objects of each bucket that the stage has used. @type {number[]} */
  #used;

  /**
   * @param {{ objects: number, buckets: number, exist: boolean }} options `exist`: whether the objects exist before the
   *   run; otherwise `objects` can be written
   */
  constructor({ objects, buckets, exist }) {
    this.#most = objects;
    this.#existing = Array.from({ length: buckets }, () => (exist ? Math.floor(objects / buckets) : 0));
    this.#used = this.#existing.map(() => 0);
  }

  /** Objects that Write left, or can write. */
  get count() {
    const existing = sumOf(this.#existing);
    return existing === 0 ? this.#most : existing;
  }

  /** 0, because a later run cannot rely on these objects: they are not the first objects of the run. */
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
   * @param {number} buckets how many the step uses, starting with the first
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
   * @param {number} most objects
   * @param {number} [buckets] of the step
   * @returns {Range} objects in turn; see Load
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

  /** @param {Effects} stage that has ended */
  stageEnds({ creates }) {
    if (creates) {
      this.#existing = this.#used;
    }
    this.#used = this.#existing.map(() => 0);
  }
}
