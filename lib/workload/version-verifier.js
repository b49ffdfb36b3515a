import { VERSION_BYTES } from './payload.js';

/**
 * @import { ObjectVersions, Verdict } from './object-versions.js'
 * @import { Payload } from './payload.js'
 */

/**
 * Checks a body of an object that is written again while it is read. The first bytes of an object tell its version. A part
 * of an object that lacks them, and an object that is smaller, is compared with all versions that it may be: of one byte,
 * one in 256 wrong versions passes; of none, no version can be told. One verifier serves a thread for a whole stage.
 */
export class VersionVerifier {
  #payload;
  #versions;
  #index = 0;
  #object = 0;
  #size = 0;
  #position = 0;
  #lowest = 0;
  #highest = -1;
  #head = Buffer.alloc(VERSION_BYTES);
  #inHead = 0;
  /** Versions that all bytes so far fit. @type {number[] | null} */
  #fitting = null;
  /** Bytes received so far. */
  received = 0;
  /** Offset in the object of the first byte that fits no version, or -1. */
  mismatch = -1;
  /** That was read, once the body has ended and fits one. */
  version = -1;

  /**
   * @param {Payload} payload
   * @param {ObjectVersions} versions
   */
  constructor(payload, versions) {
    this.#payload = payload;
    this.#versions = versions;
  }

  /**
   * A read is about to be sent.
   *
   * @param {number} index the object whose body is awaited
   * @param {number} object its localIndex
   * @param {number} size of the body in bytes: that of the object, or of a part of it
   * @param {number} [position] where in the object the body begins, in bytes
   */
  begin(index, object, size, position = 0) {
    this.#index = index;
    this.#object = object;
    this.#size = size;
    this.#position = position;
    this.#lowest = this.#versions.lowest(object);
    this.#highest = -1;
    this.#inHead = 0;
    this.#fitting = null;
    this.received = 0;
    this.mismatch = -1;
    this.version = -1;
  }

  /** @param {Buffer} chunk */
  accept(chunk) {
    this.#answerBegins();
    const expected = Math.min(chunk.length, Math.max(this.#size - this.received, 0));
    const inside = expected === chunk.length ? chunk : chunk.subarray(0, expected);
    if (this.mismatch < 0) {
      this.#check(inside);
    }
    this.received += chunk.length;
  }

  /**
   * The body has ended.
   *
   * @returns {Verdict | 'torn' | 'another length'} torn where its bytes are not those of one version
   */
  end() {
    this.#answerBegins();
    if (this.received !== this.#size && this.mismatch < 0) {
      this.mismatch = this.#position + Math.min(this.received, this.#size);
      return 'another length';
    }
    if (this.mismatch >= 0) {
      return this.received === this.#size ? 'torn' : 'another length';
    }
    const fitting = this.#candidates();
    const { verdict, version } = this.#versions.judgeBody(this.#object, fitting, this.#lowest, this.#highest);
    this.version = version;
    return verdict;
  }

  #answerBegins() {
    if (this.#highest === -1) {
      this.#highest = this.#versions.highest(this.#object);
    }
  }

  get #tellsVersion() {
    return this.#position === 0 && this.#size >= VERSION_BYTES;
  }

  #candidates() {
    this.#fitting ??= this.#versions.candidates(this.#object, this.#lowest, this.#highest);
    return this.#fitting;
  }

  /** @param {Buffer} bytes that are within the object */
  #check(bytes) {
    let position = this.#position + this.received;
    let rest = bytes;
    if (this.#tellsVersion && this.#inHead < VERSION_BYTES) {
      const copied = bytes.copy(this.#head, this.#inHead);
      this.#inHead += copied;
      if (this.#inHead < VERSION_BYTES) {
        return;
      }
      this.#fitting = [this.#payload.versionIn(this.#index, this.#head)];
      position += copied;
      rest = bytes.subarray(copied);
    }
    if (rest.length === 0) {
      return;
    }
    let furthest = -1;
    this.#fitting = this.#candidates().filter((version) => {
      const mismatch = this.#payload.firstMismatchOf(this.#index, version, position, rest);
      furthest = Math.max(furthest, mismatch);
      return mismatch < 0;
    });
    if (this.#fitting.length === 0) {
      this.mismatch = furthest;
    }
  }
}

/** No object is written more often: once a second for a week. */
const MAX_CARRIED_VERSION = 7 * 24 * 3600;

/**
 * Checks bodies of objects that another run wrote, perhaps several times: each may be whatever version it says that it is. It
 * takes the place of a {@link BodyVerifier}.
 */
export class CarriedVersionVerifier {
  #payload;
  #index = 0;
  #size = 0;
  #position = 0;
  #head = Buffer.alloc(VERSION_BYTES);
  #inHead = 0;
  /** Whether all bytes so far are those of version 0, as they are wherever nothing was written again. */
  #isFirst = true;
  /** Otherwise, versions that all bytes so far fit. @type {readonly number[]} */
  #fitting = [];
  received = 0;
  mismatch = -1;

  /** @param {Payload} payload */
  constructor(payload) {
    this.#payload = payload;
  }

  /**
   * @param {number} index the object whose body is awaited
   * @param {number} size of the body in bytes
   * @param {number} [position] where in the object the body begins, in bytes
   */
  begin(index, size, position = 0) {
    this.#index = index;
    this.#size = size;
    this.#position = position;
    this.#inHead = position === 0 && size >= VERSION_BYTES ? 0 : VERSION_BYTES;
    this.#isFirst = true;
    this.received = 0;
    this.mismatch = -1;
  }

  /** @param {Buffer} chunk */
  accept(chunk) {
    const expected = Math.min(chunk.length, Math.max(this.#size - this.received, 0));
    if (this.mismatch < 0 && expected > 0) {
      this.#check(expected === chunk.length ? chunk : chunk.subarray(0, expected));
    }
    this.received += chunk.length;
  }

  /** @returns {number} as that of a BodyVerifier: the offset of what is no version's, and not even that of version 0 */
  end() {
    if (this.mismatch < 0 && this.received !== this.#size) {
      return this.#position + Math.min(this.received, this.#size);
    }
    return this.mismatch;
  }

  /** @param {Buffer} bytes that are within the object */
  #check(bytes) {
    const position = this.#position + this.received;
    const inHead = Math.min(VERSION_BYTES - this.#inHead, bytes.length);
    if (inHead > 0) {
      bytes.copy(this.#head, this.#inHead);
      this.#inHead += inHead;
    }
    let furthest = -1;
    if (this.#isFirst) {
      furthest = this.#payload.firstMismatch(this.#index, position, bytes);
      if (furthest < 0) {
        return;
      }
      this.#isFirst = false;
      // A part without the first bytes of its object does not tell its version.
      const isUntold = this.received === 0 && inHead === 0;
      this.#fitting = isUntold ? this.#payload.versionsOf(this.#index, position, bytes, MAX_CARRIED_VERSION) : [];
    }
    if (inHead > 0) {
      if (this.#inHead < VERSION_BYTES) {
        return;
      }
      const told = this.#payload.versionIn(this.#index, this.#head);
      this.#fitting = told <= MAX_CARRIED_VERSION ? [told] : [];
    }
    this.#fitting = this.#fitting.filter((version) => {
      const mismatch = this.#payload.firstMismatchOf(this.#index, version, position, bytes);
      furthest = Math.max(furthest, mismatch);
      return mismatch < 0;
    });
    if (this.#fitting.length === 0) {
      this.mismatch = Math.max(furthest, position);
    }
  }
}
