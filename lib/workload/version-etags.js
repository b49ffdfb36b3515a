/** Words of shared memory for each object. */
const WORDS = 3;

const STATE = 0;
const DIGEST = 1;
const BEFORE = 2;

/** In place of a state while the words of an object are being written. */
const UNSETTLED = 2 ** 32 - 1;

/**
 * @param {number} objects
 * @returns {SharedArrayBuffer} for the ETags of so many objects, on all cores: twelve bytes each
 */
export function etagMemory(objects) {
  return new SharedArrayBuffer(objects * WORDS * Uint32Array.BYTES_PER_ELEMENT);
}

/**
 * The ETags, as digests, with which the store answered the last write of each object, and the one before. Only the one who
 * writes an object sets them.
 */
export class VersionEtags {
  #words;

  /** @param {SharedArrayBuffer} memory see {@link etagMemory} */
  constructor(memory) {
    this.#words = new Uint32Array(memory);
  }

  /**
   * @param {number} object its localIndex
   * @param {number} state of the object for which the store named the ETag: see ObjectVersions
   * @param {number} digest
   */
  set(object, state, digest) {
    const first = WORDS * object;
    Atomics.store(this.#words, first + STATE, UNSETTLED);
    Atomics.store(this.#words, first + BEFORE, this.#words[first + DIGEST]);
    Atomics.store(this.#words, first + DIGEST, digest);
    Atomics.store(this.#words, first + STATE, state);
  }

  /**
   * @param {number} object
   * @param {number} state
   * @returns {{ digest: number, before: number } | null} of the state, and of the write before it, 0 where there was none;
   *   null where the store has not named the state's ETag, or it is just doing so
   */
  of(object, state) {
    const first = WORDS * object;
    const found = Atomics.load(this.#words, first + STATE);
    const [digest, before] = [DIGEST, BEFORE].map((word) => Atomics.load(this.#words, first + word));
    const isSettled = found === state && Atomics.load(this.#words, first + STATE) === state;
    return isSettled && digest !== 0 ? { digest, before } : null;
  }
}
