/** @import { Payload } from './payload.js' */

/**
 * Checks a body while it streams in: each chunk against what the object holds at that position. One verifier serves a
 * thread for the whole run.
 */
export class BodyVerifier {
  #payload;
  #index = 0;
  #size = 0;
  #position = 0;
  /** Bytes received so far. */
  received = 0;
  /** Offset in the object of the first byte that differs, or -1. */
  mismatch = -1;

  /** @param {Payload} payload */
  constructor(payload) {
    this.#payload = payload;
  }

  /**
   * @param {number} index the object whose body is awaited
   * @param {number} size of the body in bytes: that of the object, or of a part of it
   * @param {number} [position] where in the object the body begins, in bytes
   */
  begin(index, size, position = 0) {
    this.#index = index;
    this.#size = size;
    this.#position = position;
    this.received = 0;
    this.mismatch = -1;
  }

  /** @param {Buffer} chunk */
  accept(chunk) {
    if (this.mismatch < 0) {
      const expected = Math.min(chunk.length, this.#size - this.received);
      const inside = expected === chunk.length ? chunk : chunk.subarray(0, Math.max(expected, 0));
      this.mismatch = this.#payload.firstMismatch(this.#index, this.#position + this.received, inside);
    }
    this.received += chunk.length;
  }

  /**
   * @returns {number} once the body has ended: the offset in the object at which the two differ (the first wrong byte, or
   *   where one ends and the other goes on), or -1 where every byte is right
   */
  end() {
    if (this.mismatch < 0 && this.received !== this.#size) {
      return this.#position + Math.min(this.received, this.#size);
    }
    return this.mismatch;
  }
}
