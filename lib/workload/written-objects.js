const BYTES_PER_OBJECT = 4;

/** Memory of {@link WrittenObjects}, shared by all workers. @param {number} objects */
export function memoryFor(objects) {
  return new SharedArrayBuffer((objects + 1) * BYTES_PER_OBJECT);
}

/**
 * Records which of this host's objects the Write stage has written, by localIndex. Shared memory holds four bytes per
 * object: the digest of the ETag that the store returned, or 0 if the object does not exist.
 */
export class WrittenObjects {
  #digests;
  #count;

  /** @param {SharedArrayBuffer} memory see {@link memoryFor} */
  constructor(memory) {
    this.memory = memory;
    this.#count = new Int32Array(memory, 0, 1);
    this.#digests = new Uint32Array(memory, BYTES_PER_OBJECT);
  }

  get count() {
    return Atomics.load(this.#count, 0);
  }

  /** The localIndex after the last existing object; 0 if there is none. */
  get end() {
    let localIndex = this.#digests.length;
    while (localIndex > 0 && !this.has(localIndex - 1)) {
      localIndex -= 1;
    }
    return localIndex;
  }

  /** @param {number} localIndex */
  has(localIndex) {
    return this.#digests[localIndex] !== 0;
  }

  /** The digest of the object's ETag; 0 if the object does not exist. @param {number} localIndex */
  digestOf(localIndex) {
    return Atomics.load(this.#digests, localIndex);
  }

  /**
   * @param {number} localIndex
   * @param {number} digest of its ETag, not 0
   */
  add(localIndex, digest) {
    Atomics.add(this.#count, 0, Number(!this.has(localIndex)));
    Atomics.store(this.#digests, localIndex, digest);
  }

  /** @param {number} localIndex */
  delete(localIndex) {
    Atomics.sub(this.#count, 0, Number(this.has(localIndex)));
    this.#digests[localIndex] = 0;
  }
}
