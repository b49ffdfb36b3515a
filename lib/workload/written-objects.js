const BYTES_AN_OBJECT = 4;

/**
 * @param {number} objects
 * @returns {SharedArrayBuffer} memory for what is known of so many objects, for all cores
 */
export function memoryFor(objects) {
  return new SharedArrayBuffer((objects + 1) * BYTES_AN_OBJECT);
}

/**
 * What Write learned of this host's objects, by their localIndex among them, in four bytes an object of shared memory: the
 * digest of the ETag that the store answered with, or 0 for an object that is not there.
 */
export class WrittenObjects {
  #digests;
  /** One number: how many objects are there. */
  #count;

  /** @param {SharedArrayBuffer} memory see {@link memoryFor} */
  constructor(memory) {
    this.memory = memory;
    this.#count = new Int32Array(memory, 0, 1);
    this.#digests = new Uint32Array(memory, BYTES_AN_OBJECT);
  }

  /** Objects that are there. */
  get count() {
    return Atomics.load(this.#count, 0);
  }

  /** The localIndex after the last object that is there; 0 where there is none. */
  get end() {
    let localIndex = this.#digests.length;
    while (localIndex > 0 && !this.has(localIndex - 1)) {
      localIndex -= 1;
    }
    return localIndex;
  }

  /**
   * @param {number} localIndex
   * @returns {boolean}
   */
  has(localIndex) {
    return this.#digests[localIndex] !== 0;
  }

  /**
   * @param {number} localIndex
   * @returns {number} the digest of the object's ETag, 0 where there is no object
   */
  digestOf(localIndex) {
    return this.#digests[localIndex];
  }

  /**
   * @param {number} localIndex
   * @param {number} digest of its ETag, not 0
   */
  add(localIndex, digest) {
    Atomics.add(this.#count, 0, Number(!this.has(localIndex)));
    this.#digests[localIndex] = digest;
  }

  /** @param {number} localIndex */
  delete(localIndex) {
    Atomics.sub(this.#count, 0, Number(this.has(localIndex)));
    this.#digests[localIndex] = 0;
  }
}
