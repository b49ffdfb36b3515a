const BYTES_AN_OBJECT = 4;

/**
 * @param {number} objects
 * @returns {SharedArrayBuffer} memory for what is known of so many objects, for all cores
 */
export function memoryFor(objects) {
  return new SharedArrayBuffer((objects + 1) * BYTES_AN_OBJECT);
}

/**
 * What Write learned of this host's objects, by their place among them, in four bytes an object of shared memory: the
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

  /** The place after the last object that is there; 0 where there is none. */
  get end() {
    let place = this.#digests.length;
    while (place > 0 && !this.has(place - 1)) {
      place -= 1;
    }
    return place;
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
    Atomics.add(this.#count, 0, Number(!this.has(place)));
    this.#digests[place] = digest;
  }

  /** @param {number} place */
  delete(place) {
    Atomics.sub(this.#count, 0, Number(this.has(place)));
    this.#digests[place] = 0;
  }
}
