import { BYTES_OF_ONE_VERSION, VERSION_BYTES } from './payload.js';

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

/** The last version to expect of an earlier run: the number of overwrites in a week, at one per second. */
const MAX_CARRIED_VERSION = 7 * 24 * 3600;

/**
 * Verifies bodies of objects that were or are overwritten, so that each can have any version. The first bytes of a body
 * identify its version, and all others must match that version. The first bytes of an object contain its version number;
 * those of a part are compared with all versions. A wrong version passes with a probability of 1 in 256 per byte, and an
 * empty body matches any version.
 */
export class VersionVerifier extends BodyVerifier {
  #lastVersionOf;
  #localIndex = 0;
  /** The version to try first. */
  #expected = 0;
  #head = Buffer.alloc(BYTES_OF_ONE_VERSION);
  /** The version of the body, once its first bytes have arrived. */
  version = -1;

  /**
   * @param {Payload} payload
   * @param {(localIndex: number) => number} [lastVersionOf] the last version that an object can have so far
   */
  constructor(payload, lastVersionOf = () => MAX_CARRIED_VERSION) {
    super(payload);
    this.#lastVersionOf = lastVersionOf;
  }

  /**
   * @param {{ index: number, localIndex: number, size: number }} record of the read
   * @param {number} position offset of the body in the object, in bytes
   * @param {number} expected the first version to try for a body that does not contain its version
   */
  beginVersion({ index, localIndex, size }, position, expected) {
    this.begin(index, size, position);
    this.#localIndex = localIndex;
    this.#expected = Math.max(expected, 0);
  }

  /** @param {Buffer} bytes within the object's size */
  firstMismatch(bytes) {
    const headSize = Math.min(this.size, BYTES_OF_ONE_VERSION);
    if (this.received >= headSize) {
      return this.#mismatchAt(this.received, bytes);
    }
    const inHead = bytes.copy(this.#head, this.received, 0, headSize - this.received);
    if (this.received + inHead < headSize) {
      return -1;
    }
    const mismatch = this.#identify(this.#head.subarray(0, headSize));
    return mismatch < 0 ? this.#mismatchAt(headSize, bytes.subarray(inHead)) : mismatch;
  }

  /**
   * @param {number} offset in the body
   * @param {Buffer} bytes
   */
  #mismatchAt(offset, bytes) {
    return this.payload.firstMismatchOf(this.index, this.version, this.position + offset, bytes);
  }

  /**
   * @param {Buffer} head the first bytes of the body
   * @returns {number} offset in the object of the first byte that matches no version, or -1
   */
  #identify(head) {
    const last = this.#lastVersionOf(this.#localIndex);
    const isTold = this.position === 0 && head.length >= VERSION_BYTES;
    this.version = isTold ? this.payload.versionIn(this.index, head) : this.#search(head, last);
    const isKnown = this.version >= 0 && this.version <= last;
    const compared = isKnown ? this.version : this.#expected;
    return this.payload.firstMismatchOf(this.index, compared, this.position, head);
  }

  /**
   * @param {Buffer} head
   * @param {number} last
   * @returns {number} the first matching version, from the expected one on; older ones come last; -1 if none matches
   */
  #search(head, last) {
    const version = this.payload.versionBetween(this.index, this.position, head, this.#expected, last);
    return version < 0 ? this.payload.versionBetween(this.index, this.position, head, 0, this.#expected - 1) : version;
  }
}
