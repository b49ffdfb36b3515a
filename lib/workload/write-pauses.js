/** R2 takes one write a second of a key, and answers further ones with 429. ms */
export const MIN_WRITE_PAUSE_MS = 1000;

/** In place of a moment: a write is under way. */
const UNDER_WAY = 2 ** 32 - 1;

/**
 * @param {number} keys
 * @returns {SharedArrayBuffer} for the pauses of so many keys: four bytes each
 */
export function pauseMemory(keys) {
  return new SharedArrayBuffer(keys * Uint32Array.BYTES_PER_ELEMENT);
}

/**
 * Sees to it that no key is written while another write of it is under way, on whatever core, or within a second after one.
 * Moments are ms since some moment that is the same for all cores.
 */
export class WritePauses {
  /** For each key the moment from which on it may be written. */
  #freeFrom;

  /** @param {SharedArrayBuffer} memory see {@link pauseMemory} */
  constructor(memory) {
    this.#freeFrom = new Uint32Array(memory);
  }

  /**
   * @param {number} key its number
   * @param {number} now
   * @returns {boolean} whether it may be written: nobody else may, then, before {@link release}
   */
  take(key, now) {
    const freeFrom = Atomics.load(this.#freeFrom, key);
    return freeFrom <= now && Atomics.compareExchange(this.#freeFrom, key, freeFrom, UNDER_WAY) === freeFrom;
  }

  /**
   * A write has come to its end.
   *
   * @param {number} key
   * @param {number} now
   */
  release(key, now) {
    Atomics.store(this.#freeFrom, key, Math.ceil(now) + MIN_WRITE_PAUSE_MS);
  }

  /**
   * @param {number} key
   * @returns {number} the moment from which on it may be written; Infinity while nobody knows
   */
  freeFrom(key) {
    const freeFrom = Atomics.load(this.#freeFrom, key);
    return freeFrom === UNDER_WAY ? Infinity : freeFrom;
  }
}
