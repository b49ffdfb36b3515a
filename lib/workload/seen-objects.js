const BITS = 32;

/**
 * @param {number} objects
 * @returns {SharedArrayBuffer} one bit per object, shared by all workers
 */
export function seenMemory(objects) {
  return new SharedArrayBuffer(Math.ceil(objects / BITS) * Int32Array.BYTES_PER_ELEMENT);
}

/** Tracks which objects were seen, one bit per object in shared memory. */
export class SeenObjects {
  #words;

  /** @param {SharedArrayBuffer} memory see {@link seenMemory} */
  constructor(memory) {
    this.#words = new Int32Array(memory);
  }

  /**
   * @param {number} index zero-based
   * @returns {boolean} whether any worker had seen it before this call
   */
  see(index) {
    const bit = 1 << (index % BITS);
    return (Atomics.or(this.#words, Math.floor(index / BITS), bit) & bit) !== 0;
  }
}
