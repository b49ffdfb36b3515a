import { createHash } from 'node:crypto';

/**
 * @import { Hash } from 'node:crypto'
 * @import { ListedObjects } from './listed-objects.js'
 */

/**
 * Checks the body of an object that the run did not write while it streams in: by its length, and by its MD5 where the ETag may
 * be one. One verifier serves a thread for the whole run.
 */
export class ListedVerifier {
  #listed;
  /** @type {Buffer | null} */
  #expected = null;
  /** @type {Hash | null} */
  #hash = null;
  /** Bytes received so far. */
  received = 0;

  /** @param {ListedObjects} listed */
  constructor(listed) {
    this.#listed = listed;
  }

  /** @param {number} index of the object whose whole body is awaited */
  begin(index) {
    this.#expected = this.#listed.md5Of(index);
    this.#hash = this.#expected === null ? null : createHash('md5');
    this.received = 0;
  }

  /** A part of an object is awaited, of whose bytes nothing is known but their number. */
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

  /** @returns {boolean | null} once the body has ended: whether it has the MD5; null where none is known */
  matches() {
    return this.#hash === null || this.#expected === null ? null : this.#hash.digest().equals(this.#expected);
  }
}
