/**
 * The work of a stage, in memory that all workers share. Any free thread can claim the next object, so no worker idles
 * while another has work.
 */
export class Budget {
  #fields;
  #times;
  #first;
  #most;

  /**
   * @param {object} options
   * @param {SharedArrayBuffer} options.memory see {@link budgetMemory}
   * @param {number} [options.first] the localIndex of the first object
   * @param {number} options.objects
   * @param {boolean} options.cycles whether to start over after the last object, until the budget is closed; otherwise,
   *   each object is handed out once
   * @param {number} [options.most] operations to hand out
   */
  constructor({ memory, first = 0, objects, cycles, most = Infinity }) {
    this.#fields = new Uint32Array(memory, 0, FIELDS);
    this.#times = new Float64Array(memory, FIELDS * Uint32Array.BYTES_PER_ELEMENT);
    this.#first = first;
    /** Number of objects, or of groups if an operation works on several objects. */
    this.objects = objects;
    this.cycles = cycles;
    this.#most = cycles ? most : Math.min(objects, most);
  }

  /** @returns {number} number of the claim, from 0, or -1 if there is no more work */
  claim() {
    if (this.objects === 0 || this.isClosed) {
      return -1;
    }
    const claim = Atomics.add(this.#fields, NEXT, 1);
    return claim < this.#most ? claim : -1;
  }

  /** @param {number} index of an object in the stage, from 0 */
  localIndexAt(index) {
    return this.#first + index;
  }

  /** The index of an object in the stage, from 0. @param {number} localIndex */
  indexOf(localIndex) {
    return localIndex - this.#first;
  }

  /** Claims the next arrival of an open loop. @returns {number} its number, from 0, or -1 if there is no more work */
  arrive() {
    if (this.objects === 0 || this.isClosed) {
      return -1;
    }
    const arrival = Atomics.add(this.#fields, ARRIVALS, 1);
    return arrival < this.#most ? arrival : -1;
  }

  /** Whether an open loop has arrivals left. */
  get expectsArrival() {
    return !this.isClosed && this.arrivals < this.#most;
  }

  /** Stops handing out work on all workers. */
  close() {
    Atomics.store(this.#fields, CLOSED, 1);
  }

  get isClosed() {
    return Atomics.load(this.#fields, CLOSED) !== 0;
  }

  /**
   * The store counts as lost only if no worker succeeds, so each worker periodically shares its last success.
   *
   * @param {number} lastSuccessAt monotonic ms of this worker's last success
   * @returns {number} monotonic ms of the last success that any worker has shared
   */
  shareSuccess(lastSuccessAt) {
    this.#times[LAST_SUCCESS] = Math.max(this.#times[LAST_SUCCESS], lastSuccessAt);
    return this.#times[LAST_SUCCESS];
  }

  /** Number of objects handed out so far; not meaningful if the budget cycles. */
  get claimed() {
    return Math.min(Atomics.load(this.#fields, NEXT), this.#most);
  }

  /** Number of arrivals of an open loop handed out so far. */
  get arrivals() {
    return Atomics.load(this.#fields, ARRIVALS);
  }
}

const NEXT = 0;
const CLOSED = 1;
const ARRIVALS = 2;

/** Even, so that the Float64 times after the fields are aligned. */
const FIELDS = 4;

const LAST_SUCCESS = 0;
const TIMES = 1;

export function budgetMemory() {
  return new SharedArrayBuffer(FIELDS * Uint32Array.BYTES_PER_ELEMENT + TIMES * Float64Array.BYTES_PER_ELEMENT);
}
