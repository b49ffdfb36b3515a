import { VERSION_BYTES } from './payload.js';

/**
 * @import { ObjectVersions, Verdict } from './object-versions.js'
 * @import { Payload } from './payload.js'
 */

/**
 * Verifies bodies of objects that are overwritten during reads. The first bytes of an object identify its version. A
 * body that does not include all of them is compared with all candidate versions: a wrong version passes with a
 * probability of 1 in 256 per byte, and an empty body matches any version. Each thread has one verifier per stage.
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
  /** Versions that match all bytes so far. @type {number[] | null} */
  #fitting = null;
  received = 0;
  /** Offset in the object of the first byte that matches no version, or -1. */
  mismatch = -1;
  /** The version that was read, if the complete body matches one. */
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
   * Call this before sending a read.
   *
   * @param {number} index of the object
   * @param {number} object its localIndex
   * @param {number} size bytes of the expected body, which may be part of the object
   * @param {number} [position] offset of the body in the object, in bytes
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
   * Call this at the end of the body.
   *
   * @returns {Verdict | 'torn' | 'another length'} torn if the bytes do not all belong to one version
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

  get #identifiesVersion() {
    return this.#position === 0 && this.#size >= VERSION_BYTES;
  }

  #candidates() {
    this.#fitting ??= this.#versions.candidates(this.#object, this.#lowest, this.#highest);
    return this.#fitting;
  }

  /** @param {Buffer} bytes within the object's size */
  #check(bytes) {
    let position = this.#position + this.received;
    let rest = bytes;
    if (this.#identifiesVersion && this.#inHead < VERSION_BYTES) {
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

/** The last version to try: the number of overwrites in a week, at one per second. */
const MAX_CARRIED_VERSION = 7 * 24 * 3600;

/**
 * Verifies bodies of objects from an earlier run. That run may have overwritten them, so each can have any version.
 * Used instead of a {@link BodyVerifier}.
 */
export class CarriedVersionVerifier {
  #payload;
  #index = 0;
  #size = 0;
  #position = 0;
  #head = Buffer.alloc(VERSION_BYTES);
  #inHead = 0;
  /** Whether all bytes so far match version 0. They do unless the object was overwritten. */
  #isFirst = true;
  /** The versions that match all bytes so far; unused while version 0 matches. @type {readonly number[]} */
  #fitting = [];
  received = 0;
  mismatch = -1;

  /** @param {Payload} payload */
  constructor(payload) {
    this.#payload = payload;
  }

  /**
   * @param {number} index of the object
   * @param {number} size of the body in bytes
   * @param {number} [position] offset of the body in the object, in bytes
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

  /**
   * @returns {number} the offset of the first byte that matches no version, or of the end of a body of the wrong
   *   length; -1 if the body is correct
   */
  end() {
    if (this.mismatch < 0 && this.received !== this.#size) {
      return this.#position + Math.min(this.received, this.#size);
    }
    return this.mismatch;
  }

  /** @param {Buffer} bytes within the object's size */
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
      // A part without the object's first bytes does not identify its version.
      const isUnidentified = this.received === 0 && inHead === 0;
      this.#fitting = isUnidentified ? this.#payload.versionsOf(this.#index, position, bytes, MAX_CARRIED_VERSION) : [];
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
