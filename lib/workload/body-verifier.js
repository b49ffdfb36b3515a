/** @import { Payload } from './payload.js' */

/**
 * Checks a body while it streams in: each chunk against what the object holds at that position. One verifier serves a
 * thread for the whole run.
 */
export class BodyVerifier {
  #payload;
  #index = 0;
  #size = 0;
  /** Bytes received so far. */
  received = 0;
  /** Offset of the first byte that differs from the object's, or -1. */
  mismatch = -1;

  /** @param {Payload} payload */
  constructor(payload) {
    this.#payload = payload;
  }

  /**
   * @param {number} index the object whose body is awaited
   * @param {number} size its size in bytes
   */
  begin(index, size) {
    this.#index = index;
    this.#size = size;
    this.received = 0;
    this.mismatch = -1;
  }

  /** @param {Buffer} chunk */
  accept(chunk) {
    if (this.mismatch < 0) {
      const expected = Math.min(chunk.length, this.#size - this.received);
      const inside = expected === chunk.length ? chunk : chunk.subarray(0, Math.max(expected, 0));
      this.mismatch = this.#payload.firstMismatch(this.#index, this.received, inside);
    }
    this.received += chunk.length;
  }

  /**
   * @returns {number} once the body has ended: the offset at which it stops being the object (its first wrong byte, or
   *   where one ends and the other goes on), or -1 where every byte is right
   */
  end() {
    if (this.mismatch < 0 && this.received !== this.#size) {
      return Math.min(this.received, this.#size);
    }
    return this.mismatch;
  }
}
