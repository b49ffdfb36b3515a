/**
 * Time in which the process, or its machine, was suspended.
 *
 * @typedef {object} Pause
 * @property {number} at monotonic ms, which stand still meanwhile
 * @property {number} length ms of the epoch
 * @property {number} counted ms by which the system's monotonic time advanced meanwhile: all of them, or none if the machine
 *   stopped it
 */

/** Pauses beyond this number are added to the last one. */
const MAX_PAUSES = 250;

/** Threads beyond this number share a cell, so that a pause may seem to begin a little early. */
const MAX_THREADS = 64;

/** Numbers of a thread: those that write into one line of a CPU's cache would slow each other down. */
const CELL = 8;

/** Numbers of a {@link Pause}. */
const FIELDS = 3;

const FLAGS = 4;
const [THREADS, PAUSES, VERSION, IS_WATCHED] = Array.from({ length: FLAGS }, (_, place) => place);

/** What the threads of a clock know together: when each last looked at the clock, and the pauses that were found. */
export class SharedPauses {
  #flags;
  #fields;

  /** @param {SharedArrayBuffer} [memory] of another thread; without, this is the first, which finds the pauses */
  constructor(memory = sharedMemory()) {
    this.memory = memory;
    /** @type {Int32Array} */
    this.#flags = new Int32Array(memory, 0, FLAGS);
    /** When each thread last looked, in the system's monotonic ms. @type {Float64Array} */
    this.looks = new Float64Array(memory, this.#flags.byteLength, MAX_THREADS * CELL);
    /** @type {Float64Array} */
    this.#fields = new Float64Array(memory, this.#flags.byteLength + this.looks.byteLength);
    /** The place of this thread's look. */
    this.cell = (Atomics.add(this.#flags, THREADS, 1) % MAX_THREADS) * CELL;
  }

  /** It is another one after each new pause. */
  get version() {
    return this.#flags[VERSION];
  }

  get threads() {
    return Atomics.load(this.#flags, THREADS);
  }

  /** Whether the first thread looks for pauses. */
  get isWatched() {
    return Atomics.load(this.#flags, IS_WATCHED) === 1;
  }

  watch() {
    Atomics.store(this.#flags, IS_WATCHED, 1);
  }

  /** The last look of any thread. */
  get lastLook() {
    return this.looks.reduce((last, look) => Math.max(last, look));
  }

  /** The last look of the first thread. */
  get firstThreadLook() {
    return this.looks[0];
  }

  /**
   * @param {number} version
   * @param {number} milliseconds at most for which the thread is blocked while it is this version
   */
  waitWhile(version, milliseconds) {
    Atomics.wait(this.#flags, VERSION, version, milliseconds);
  }

  /** @param {Pause} pause */
  add({ at, length, counted }) {
    const known = Atomics.load(this.#flags, PAUSES);
    if (known < MAX_PAUSES) {
      this.#fields.set([at, length, counted], known * FIELDS);
      Atomics.store(this.#flags, PAUSES, known + 1);
    } else {
      this.#fields[this.#fields.length - 2] += length;
      this.#fields[this.#fields.length - 1] += counted;
    }
    Atomics.add(this.#flags, VERSION, 1);
    Atomics.notify(this.#flags, VERSION);
  }

  /** @returns {Pause[]} in their order */
  list() {
    return Array.from({ length: Atomics.load(this.#flags, PAUSES) }, (_, place) => {
      const [at, length, counted] = this.#fields.subarray(place * FIELDS);
      return { at, length, counted };
    });
  }
}

function sharedMemory() {
  const numbers = MAX_THREADS * CELL + MAX_PAUSES * FIELDS;
  return new SharedArrayBuffer(FLAGS * Int32Array.BYTES_PER_ELEMENT + numbers * Float64Array.BYTES_PER_ELEMENT);
}
