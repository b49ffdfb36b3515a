import { createHash } from 'node:crypto';

/**
 * @import { Hash } from 'node:crypto'
 * @import { ListedObjects } from './listed-objects.js'
 */

/**
 * Verifies the streamed body of an object that the run did not write: its length, and its MD5 if the ETag may be one.
 * Each thread has one verifier for the whole run.
 */
export class ListedVerifier {
  #listed;
  /** @type {Buffer | null} */
  #expected = null;
  /** @type {Hash | null} */
  #hash = null;
  received = 0;

  /** @param {ListedObjects} listed */
  constructor(listed) {
    this.#listed = listed;
  }

  /** Call this before reading a complete object. @param {number} index of the object */
  begin(index) {
    this.#expected = this.#listed.md5Of(index);
    this.#hash = this.#expected === null ? null : createHash('md5');
    this.received = 0;
  }

  /** Call this before reading part of an object. Only the length of a part can be checked. */
  beginPart() {
    this.#expected = null;
    this.#hash = null;
    this.received = 0;
  }

  /** @param {Buffer} chunk */
  accept(chunk) {
    this.#hash?.update(chunk);
    this.received += chunk.length;
  }

  /** Call this at the end of the body. @returns {boolean | null} whether its MD5 matches; null if no MD5 is known */
  matches() {
    return this.#hash === null || this.#expected === null ? null : this.#hash.digest().equals(this.#expected);
  }
}
