/**
 * How much work a stage has, in memory that all cores share: an object is claimed by whichever thread is free, so that
 * no core idles while another has work.
 */
export class Budget {
  #claims;
  #lastSuccess;
  #objects;

  /**
   * @param {object} options
   * @param {SharedArrayBuffer} options.memory see {@link budgetMemory}
   * @param {number} options.objects
   * @param {boolean} options.goesRound whether the objects are given out again from the first one, until it is closed;
   *   each is given out once otherwise
   */
  constructor({ memory, objects, goesRound }) {
    this.#claims = new Uint32Array(memory, 0, CLAIM_FIELDS);
    this.#lastSuccess = new Float64Array(memory, CLAIM_FIELDS * Uint32Array.BYTES_PER_ELEMENT);
    this.#objects = objects;
    this.goesRound = goesRound;
  }

  /** @returns {number} the place of the next object, or -1 where there is no more work */
  claim() {
    if (this.#objects === 0 || Atomics.load(this.#claims, CLOSED) !== 0) {
      return -1;
    }
    const claim = Atomics.add(this.#claims, NEXT, 1);
    return this.goesRound ? claim % this.#objects : claim < this.#objects ? claim : -1;
  }

  /** Nothing more is given out, on any core. */
  close() {
    Atomics.store(this.#claims, CLOSED, 1);
  }

  /**
   * A stage has lost its store where nothing succeeds on any core: each tells the others, from time to time.
   *
   * @param {number} lastSuccessAt monotonic ms of this core's last success
   * @returns {number} monotonic ms of the last success that any core has told
   */
  shareSuccess(lastSuccessAt) {
    this.#lastSuccess[0] = Math.max(this.#lastSuccess[0], lastSuccessAt);
    return this.#lastSuccess[0];
  }

  /** Objects given out so far, of those that are given out once. */
  get claimed() {
    return Math.min(Atomics.load(this.#claims, NEXT), this.#objects);
  }
}

const NEXT = 0;
const CLOSED = 1;
const CLAIM_FIELDS = 2;

/** @returns {SharedArrayBuffer} */
export function budgetMemory() {
  return new SharedArrayBuffer(CLAIM_FIELDS * Uint32Array.BYTES_PER_ELEMENT + Float64Array.BYTES_PER_ELEMENT);
}
