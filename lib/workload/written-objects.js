const BYTES_AN_OBJECT = 4;

/**
 * What Write learned, in four bytes an object of shared memory: the digest of the ETag that the store answered with, or
 * 0 for an object that is not there.
 */
export class WrittenObjects {
  #digests;
  /** Objects that are there. */
  count = 0;

  /** @param {number} objects */
  constructor(objects) {
    this.#digests = new Uint32Array(new SharedArrayBuffer(objects * BYTES_AN_OBJECT));
  }

  /**
   * @param {number} index
   * @returns {boolean}
   */
  has(index) {
    return this.#digests[index] !== 0;
  }

  /**
   * @param {number} index
   * @returns {number} the digest of the object's ETag, 0 where there is no object
   */
  digestOf(index) {
    return this.#digests[index];
  }

  /**
   * @param {number} index
   * @param {number} digest of its ETag, not 0
   */
  add(index, digest) {
    this.count += Number(!this.has(index));
    this.#digests[index] = digest;
  }

  /** @param {number} index */
  delete(index) {
    this.count -= Number(this.has(index));
    this.#digests[index] = 0;
  }
}
