const WORDS = 3;

const STATE = 0;
const DIGEST = 1;
const BEFORE = 2;

/** Stored as an object's state while its digests are being written. */
const UNSETTLED = 2 ** 32 - 1;

/** Twelve bytes per object, shared by all workers. @param {number} objects */
export function etagMemory(objects) {
  return new SharedArrayBuffer(objects * WORDS * Uint32Array.BYTES_PER_ELEMENT);
}

/** Digests of the ETags of each object's last two writes. Only the worker that writes an object sets them. */
export class VersionEtags {
  #words;

  /** @param {SharedArrayBuffer} memory see {@link etagMemory} */
  constructor(memory) {
    this.#words = new Uint32Array(memory);
  }

  /**
   * @param {number} object its localIndex
   * @param {number} state that the ETag belongs to: see ObjectVersions
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
   * @returns {{ digest: number, before: number } | null} `before`: the digest of the previous write, or 0 if there was
   *   none; null if the state's ETag is unknown or being updated
   */
  of(object, state) {
    const first = WORDS * object;
    const found = Atomics.load(this.#words, first + STATE);
    const [digest, before] = [DIGEST, BEFORE].map((word) => Atomics.load(this.#words, first + word));
    const isSettled = found === state && Atomics.load(this.#words, first + STATE) === state;
    return isSettled && digest !== 0 ? { digest, before } : null;
  }
}
