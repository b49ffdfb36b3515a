import { BYTES_OF_ONE_VERSION, VERSION_BYTES } from './payload.js';

/** @import { Payload } from './payload.js' */

/** The last version to expect of an earlier run: the number of overwrites in a week, at one per second. */
const MAX_CARRIED_VERSION = 7 * 24 * 3600;

/**
 * Verifies bodies of objects that were or are overwritten, so that each can have any version. Used instead of a
 * BodyVerifier. The first bytes of a body identify its version, and all others must match that version. The first bytes
 * of an object contain its version number; those of a part are compared with all versions. A wrong version passes with
 * a probability of 1 in 256 per byte, and an empty body matches any version.
 */
export class VersionVerifier {
  #payload;
  #lastVersionOf;
  #index = 0;
  #localIndex = 0;
  #size = 0;
  #position = 0;
  #head = Buffer.alloc(BYTES_OF_ONE_VERSION);
  #headSize = 0;
  /** The version to try first. */
  #expected = 0;
  received = 0;
  /** Offset in the object of the first byte that matches no version, or -1. */
  mismatch = -1;
  /** The version of the body, once its first bytes have arrived. */
  version = -1;

  /**
   * @param {Payload} payload
   * @param {(localIndex: number) => number} [lastVersionOf] the last version that an object can have so far
   */
  constructor(payload, lastVersionOf = () => MAX_CARRIED_VERSION) {
    this.#payload = payload;
    this.#lastVersionOf = lastVersionOf;
  }

  /**
   * @param {number} index of the object
   * @param {number} size bytes of the expected body, which may be part of the object
   * @param {number} [position] offset of the body in the object, in bytes
   */
  begin(index, size, position = 0) {
    this.beginVersion({ index, size, localIndex: 0 }, position, 0);
  }

  /**
   * @param {{ index: number, localIndex: number, size: number }} record of the read
   * @param {number} position offset of the body in the object, in bytes
   * @param {number} expected the first version to try for a body that does not contain its version
   */
  beginVersion({ index, localIndex, size }, position, expected) {
    this.#index = index;
    this.#localIndex = localIndex;
    this.#size = size;
    this.#position = position;
    this.#headSize = Math.min(size, BYTES_OF_ONE_VERSION);
    this.#expected = Math.max(expected, 0);
    this.received = 0;
    this.mismatch = -1;
    this.version = -1;
  }

  /** @param {Buffer} chunk */
  accept(chunk) {
    const expected = Math.min(chunk.length, Math.max(this.#size - this.received, 0));
    if (this.mismatch < 0 && expected > 0) {
      this.#check(expected === chunk.length ? chunk : chunk.subarray(0, expected));
    }
    this.received += chunk.length;
  }

  /**
   * Call this at the end of the body.
   *
   * @returns {number} offset in the object of the first byte that matches no version, or of the end of a body of the
   *   wrong length; -1 if the body is that of `version`
   */
  end() {
    if (this.mismatch < 0 && this.received !== this.#size) {
      return this.#position + Math.min(this.received, this.#size);
    }
    return this.mismatch;
  }

  /** @param {Buffer} bytes within the object's size */
  #check(bytes) {
    let inHead = 0;
    if (this.received < this.#headSize) {
      inHead = bytes.copy(this.#head, this.received, 0, this.#headSize - this.received);
      if (this.received + inHead < this.#headSize) {
        return;
      }
      this.#identify(this.#head.subarray(0, this.#headSize));
    }
    if (this.mismatch < 0 && inHead < bytes.length) {
      const position = this.#position + this.received + inHead;
      this.mismatch = this.#payload.firstMismatchOf(this.#index, this.version, position, bytes.subarray(inHead));
    }
  }

  /** @param {Buffer} head the first bytes of the body */
  #identify(head) {
    const last = this.#lastVersionOf(this.#localIndex);
    const isTold = this.#position === 0 && head.length >= VERSION_BYTES;
    this.version = isTold ? this.#payload.versionIn(this.#index, head) : this.#search(head, last);
    const isKnown = this.version >= 0 && this.version <= last;
    const compared = isKnown ? this.version : this.#expected;
    this.mismatch = this.#payload.firstMismatchOf(this.#index, compared, this.#position, head);
  }

  /**
   * @param {Buffer} head
   * @param {number} last
   * @returns {number} the first matching version, from the expected one on; older ones come last; -1 if none matches
   */
  #search(head, last) {
    const [index, position] = [this.#index, this.#position];
    const version = this.#payload.versionBetween(index, position, head, this.#expected, last);
    return version >= 0 ? version : this.#payload.versionBetween(index, position, head, 0, this.#expected - 1);
  }
}
