const BYTES_AN_OBJECT = 4;

/**
 * What Write learned of this host's objects, by their place among them, in four bytes an object of shared memory: the
 * digest of the ETag that the store answered with, or 0 for an object that is not there.
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
   * @param {number} place
   * @returns {boolean}
   */
  has(place) {
    return this.#digests[place] !== 0;
  }

  /**
   * @param {number} place
   * @returns {number} the digest of the object's ETag, 0 where there is no object
   */
  digestOf(place) {
    return this.#digests[place];
  }

  /**
   * @param {number} place
   * @param {number} digest of its ETag, not 0
   */
  add(place, digest) {
    this.count += Number(!this.has(place));
    this.#digests[place] = digest;
  }

  /** @param {number} place */
  delete(place) {
    this.count -= Number(this.has(place));
    this.#digests[place] = 0;
  }
}
