/** R2 accepts one write per key per second, and responds to further writes with a 429. */
export const MIN_WRITE_PAUSE_MS = 1000;

/** Stored instead of a time while a write is in flight. */
const UNDER_WAY = 2 ** 32 - 1;

/** Four bytes per key, shared by all workers. @param {number} keys */
export function pauseMemory(keys) {
  return new SharedArrayBuffer(keys * Uint32Array.BYTES_PER_ELEMENT);
}

/**
 * Ensures that no worker writes a key while another write of that key is in flight, or too soon after it. Times are in
 * ms since an origin shared by all workers.
 */
export class WritePauses {
  /** When each key may next be written. */
  #freeFrom;

  /** @param {SharedArrayBuffer} memory see {@link pauseMemory} */
  constructor(memory) {
    this.#freeFrom = new Uint32Array(memory);
  }

  /**
   * @param {number} key
   * @param {number} now
   * @returns {boolean} whether the caller may write the key; no other caller may until {@link release}
   */
  take(key, now) {
    const freeFrom = Atomics.load(this.#freeFrom, key);
    return freeFrom <= now && Atomics.compareExchange(this.#freeFrom, key, freeFrom, UNDER_WAY) === freeFrom;
  }

  /**
   * Call this when the write has ended.
   *
   * @param {number} key
   * @param {number} freeFrom when the key may next be written
   */
  release(key, freeFrom) {
    Atomics.store(this.#freeFrom, key, Math.ceil(freeFrom));
  }

  /** When the key may next be written; Infinity while a write is in flight. @param {number} key */
  freeFrom(key) {
    const freeFrom = Atomics.load(this.#freeFrom, key);
    return freeFrom === UNDER_WAY ? Infinity : freeFrom;
  }
}
