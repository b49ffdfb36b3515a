/**
 * @import { Stage } from '../operations/stage.js'
 *
 * @typedef {Pick<Stage, 'creates' | 'removes'>} Effects of a stage on objects
 */

/**
 * A range of a host's objects.
 *
 * @typedef {object} Range
 * @property {number} first place
 * @property {number} count
 * @property {boolean} goesRound whether they are used again and again
 */

/**
 * Which objects the steps of a search work on. Write takes them one after the other, those of half the size at the
 * end; Read and Stat go round among what is there; Remove goes through all of it once.
 */
export class SearchObjects {
  #next = 0;
  #whole;
  #half = { first: 0, count: 0 };

  /** @param {number} count objects that may be written, or that are there where the run does not write */
  constructor(count) {
    this.#whole = { first: 0, count };
  }

  /** Objects of whole and of half size that the stages after Write have, or that Write may write. */
  get count() {
    return this.#whole.count + this.#half.count;
  }

  /** Objects of whole size that the stages after Write have, or that Write may write. */
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
  countFor({ creates, removes }) {
    if (creates || removes) {
      return this.count - this.#next;
    }
    return this.#whole.count > 0 ? Infinity : 0;
  }

  /**
   * @param {Effects} stage
   * @param {boolean} isHalfSize
   * @param {number} most objects
   * @returns {Range}
   */
  rangeFor(stage, isHalfSize, most) {
    if (stage.creates || stage.removes) {
      return { first: this.#next, count: Math.min(most, this.countFor(stage)), goesRound: false };
    }
    return { ...(isHalfSize ? this.#half : this.#whole), goesRound: true };
  }

  /**
   * @param {Effects} stage
   * @param {boolean} isHalfSize
   * @param {number} count objects of the range that were used
   */
  use({ creates, removes }, isHalfSize, count) {
    if (creates && isHalfSize) {
      this.#half = { first: this.#next, count };
    }
    if (creates || removes) {
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
      this.#whole = ifAny({ first: 0, count: this.#next - this.#half.count }, has);
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
  return { first, count: 0 };
}
