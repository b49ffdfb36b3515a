const BITS = 32;

/**
 * @param {number} objects
 * @returns {SharedArrayBuffer} memory for whether so many objects were seen, for all workers
 */
export function seenMemory(objects) {
  return new SharedArrayBuffer(Math.ceil(objects / BITS) * Int32Array.BYTES_PER_ELEMENT);
}

/** Which objects were seen before, in a bit for each of shared memory. */
export class SeenObjects {
  #words;

  /** @param {SharedArrayBuffer} memory see {@link seenMemory} */
  constructor(memory) {
    this.#words = new Int32Array(memory);
  }

  /**
   * @param {number} place of an object, from 0
   * @returns {boolean} whether it was seen before, by any worker; from now on it was
   */
  see(place) {
    const bit = 1 << (place % BITS);
    return (Atomics.or(this.#words, Math.floor(place / BITS), bit) & bit) !== 0;
  }
}
