/**
 * Time during which the process or its machine was suspended.
 *
 * @typedef {object} Pause
 * @property {number} at monotonic ms, which do not advance during the pause
 * @property {number} length ms of the epoch
 * @property {number} counted ms by which the system's monotonic time advanced: `length`, or 0 if the machine stopped it
 */

/** Pauses beyond this number are added to the last one. */
const MAX_PAUSES = 250;

/** Threads beyond this number share a cell, so a pause can seem to start slightly early. */
const MAX_THREADS = 64;

/** Array elements per thread, so that threads do not share a cache line. */
const CELL = 8;

/** Array elements per {@link Pause}. */
const FIELDS = 3;

const FLAGS = 4;
const [THREADS, PAUSES, VERSION, IS_WATCHED] = Array.from({ length: FLAGS }, (_, index) => index);

/** State shared by the threads of a clock: when each last read the clock, and the pauses found. */
export class SharedPauses {
  #flags;
  #fields;

  /** @param {SharedArrayBuffer} [memory] of another thread; absent on the first thread, which detects pauses */
  constructor(memory = sharedMemory()) {
    this.memory = memory;
    /** @type {Int32Array} */
    this.#flags = new Int32Array(memory, 0, FLAGS);
    /** When each thread last read the clock, in the system's monotonic ms. @type {Float64Array} */
    this.looks = new Float64Array(memory, this.#flags.byteLength, MAX_THREADS * CELL);
    /** @type {Float64Array} */
    this.#fields = new Float64Array(memory, this.#flags.byteLength + this.looks.byteLength);
    /** Index of this thread's reading in `looks`. */
    this.cell = (Atomics.add(this.#flags, THREADS, 1) % MAX_THREADS) * CELL;
  }

  /** Changes with each new pause. */
  get version() {
    return this.#flags[VERSION];
  }

  get threads() {
    return Atomics.load(this.#flags, THREADS);
  }

  /** Whether the first thread detects pauses. */
  get isWatched() {
    return Atomics.load(this.#flags, IS_WATCHED) === 1;
  }

  watch() {
    Atomics.store(this.#flags, IS_WATCHED, 1);
  }

  get lastLook() {
    return this.looks.reduce((last, look) => Math.max(last, look));
  }

  get firstThreadLook() {
    return this.looks[0];
  }

  /**
   * @param {number} version
   * @param {number} milliseconds maximum time to block the thread while the version is unchanged
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

  /** @returns {Pause[]} in order */
  list() {
    return Array.from({ length: Atomics.load(this.#flags, PAUSES) }, (_, index) => {
      const [at, length, counted] = this.#fields.subarray(index * FIELDS);
      return { at, length, counted };
    });
  }
}

function sharedMemory() {
  const numbers = MAX_THREADS * CELL + MAX_PAUSES * FIELDS;
  return new SharedArrayBuffer(FLAGS * Int32Array.BYTES_PER_ELEMENT + numbers * Float64Array.BYTES_PER_ELEMENT);
}
