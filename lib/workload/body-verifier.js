/** @import { Payload } from './payload.js' */

/**
 * Verifies a body as it streams in, comparing each chunk with the object's bytes at that position. Each thread has one
 * verifier for the whole run.
 */
export class BodyVerifier {
  index = 0;
  size = 0;
  position = 0;
  received = 0;
  /** Offset in the object of the first byte that differs, or -1. */
  mismatch = -1;

  /** @param {Payload} payload */
  constructor(payload) {
    this.payload = payload;
  }

  /**
   * @param {number} index of the object
   * @param {number} size bytes of the expected body, which may be part of the object
   * @param {number} [position] offset of the body in the object, in bytes
   */
  begin(index, size, position = 0) {
    this.index = index;
    this.size = size;
    this.position = position;
    this.received = 0;
    this.mismatch = -1;
  }

  /** @param {Buffer} chunk */
  accept(chunk) {
    if (this.mismatch < 0) {
      const expected = Math.min(chunk.length, Math.max(this.size - this.received, 0));
      this.mismatch = this.firstMismatch(expected === chunk.length ? chunk : chunk.subarray(0, expected));
    }
    this.received += chunk.length;
  }

  /**
   * @param {Buffer} bytes the next ones of the body, within its size
   * @returns {number} offset in the object of the first one that differs, or -1
   */
  firstMismatch(bytes) {
    return this.payload.firstMismatch(this.index, this.position + this.received, bytes);
  }

  /**
   * Call this at the end of the body.
   *
   * @returns {number} offset in the object of the first wrong byte, or of the end of a body of the wrong length; -1 if
   *   the body is correct
   */
  end() {
    if (this.mismatch < 0 && this.received !== this.size) {
      return this.position + Math.min(this.received, this.size);
    }
    return this.mismatch;
  }
}
