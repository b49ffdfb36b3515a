const BITS = 32;

/** One bit per object, shared by all workers. @param {number} objects */
export function seenMemory(objects) {
  return new SharedArrayBuffer(Math.ceil(objects / BITS) * Int32Array.BYTES_PER_ELEMENT);
}

/** Tracks which objects any worker has seen. */
export class SeenObjects {
  #words;

  /** @param {SharedArrayBuffer} memory see {@link seenMemory} */
  constructor(memory) {
    this.#words = new Int32Array(memory);
  }

  /** Marks an object as seen, and returns whether any worker had seen it before. @param {number} index zero-based */
  see(index) {
    const bit = 1 << (index % BITS);
    return (Atomics.or(this.#words, Math.floor(index / BITS), bit) & bit) !== 0;
  }
}
