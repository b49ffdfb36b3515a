/**
 * @import { Range as SlotRange } from '../engine/run-slot.js'
 * @import { Stage } from '../operations/stage.js'
 *
 * @typedef {Pick<Stage, 'creates' | 'removes'> & Partial<Pick<Stage, 'copies' | 'grouping'>>} Effects of a stage on objects
 */

/** @typedef {SlotRange & { bucketStarts?: readonly number[] }} Range of a host's objects; `bucketStarts`: see Load */

/** @type {Readonly<{ first: number, count: number }>} */
const NONE = Object.freeze({ first: 0, count: 0 });

/**
 * Which objects the steps of a search work on. Write takes them one after the other; Read and Stat go round among those
 * of one size that it wrote without a break; Copy goes through these once, and Remove through all of them.
 */
export class SearchObjects {
  #next = 0;
  #all;
  #whole;
  #half = NONE;

  /** @param {number} count objects that may be written, or that are there where the run does not write */
  constructor(count) {
    this.#all = { first: 0, count };
    this.#whole = this.#all;
  }

  /** Objects of either size that the stages after Write have, or that Write may write. */
  get count() {
    return this.#all.count;
  }

  /** Objects of whole size, without a break, that the stages after Write have, or that Write may write. */
  get wholeCount() {
    return this.#whole.count;
  }

  /** Whether there are objects of half the size to be read. */
  get hasHalves() {
    return this.#half.count > 0;
  }

  /**
   * @param {Effects} stage
   * @returns {number} operations that it can make of them
   */
  countFor({ creates, copies, removes }) {
    if (creates || removes) {
      return this.count - this.#next;
    }
    if (copies) {
      return this.#whole.count - this.#next;
    }
    return this.#whole.count > 0 ? Infinity : 0;
  }

  /**
   * @param {Effects} stage
   * @returns {number} likewise, of a step: see BucketObjects
   */
  countIn(stage) {
    return this.countFor(stage);
  }

  /**
   * @param {Effects} stage
   * @param {boolean} isHalfSize
   * @param {number} most objects
   * @returns {Range}
   */
  rangeFor(stage, isHalfSize, most) {
    if (stage.creates || stage.copies || stage.removes) {
      return { first: this.#next, count: Math.min(most, this.countFor(stage)), goesRound: false };
    }
    // Between the keys of objects of one size are those of the other.
    const readable = stage.grouping?.isByKey ? this.#all : this.#whole;
    return { ...(isHalfSize ? this.#half : readable), goesRound: true };
  }

  /**
   * @param {Effects} stage
   * @param {boolean} isHalfSize
   * @param {number} count objects of the range that were used
   */
  use({ creates, copies, removes }, isHalfSize, count) {
    if (creates && isHalfSize && this.#half.count === 0) {
      this.#half = { first: this.#next, count };
    }
    if (creates || copies || removes) {
      this.#next += count;
    }
  }

  /**
   * What a stage has written is there for those after it.
   *
   * @param {Effects} stage that has ended
   * @param {(place: number) => boolean} has whether an object was written: a range without one would be gone round for ever
   */
  stageEnds({ creates }, has) {
    if (creates) {
      this.#all = ifAny({ first: 0, count: this.#next }, has);
      this.#whole = ifAny({ first: 0, count: this.#half.count === 0 ? this.#next : this.#half.first }, has);
      this.#half = ifAny(this.#half, has);
    }
    this.#next = 0;
  }
}

/**
 * @param {{ first: number, count: number }} range
 * @param {(place: number) => boolean} has
 * @returns {{ first: number, count: number }} the range, or an empty one
 */
function ifAny({ first, count }, has) {
  for (let place = first; place < first + count; place++) {
    if (has(place)) {
      return { first, count };
    }
  }
  return NONE;
}
