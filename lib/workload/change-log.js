import { isRemoval, versionOf } from './object-versions.js';

/** Maximum changes to remember: more than an hour at 1,000 per second. Memory is allocated only when used. */
const CHANGES = 2 ** 22;

/** Words per change. */
const WORDS = 5;

const NUMBER = 0;
const STATE = 1;
const MOMENT = 2;
const DIGEST = 3;
const BEFORE = 4;

/**
 * @param {number} objects
 * @param {number} [changes] to remember
 * @returns {SharedArrayBuffer} shared by all workers: 4 bytes per object and 20 per change
 */
export function changeMemory(objects, changes = CHANGES) {
  return new SharedArrayBuffer((1 + objects + WORDS * changes) * Uint32Array.BYTES_PER_ELEMENT);
}

/**
 * Records when objects were overwritten or removed, and the ETags of their versions, because a cache may serve a
 * version long after it was replaced. If there are too many changes, the oldest are forgotten.
 *
 * Objects are identified by localIndex. All workers share the memory, and an object has at most one change in flight.
 * Moments are in ms since an origin shared by all workers.
 */
export class ChangeLog {
  /** Number of changes so far. */
  #count;
  /** Number of the last change, by object; 0 if there was none. */
  #last;
  #changes;
  #capacity;

  /**
   * @param {SharedArrayBuffer} memory see {@link changeMemory}
   * @param {number} objects
   */
  constructor(memory, objects) {
    const bytes = Uint32Array.BYTES_PER_ELEMENT;
    this.#count = new Uint32Array(memory, 0, 1);
    this.#last = new Uint32Array(memory, bytes, objects);
    this.#changes = new Uint32Array(memory, bytes * (1 + objects));
    this.#capacity = Math.floor(this.#changes.length / WORDS);
  }

  /** @param {number} object */
  has(object) {
    return Atomics.load(this.#last, object) !== 0;
  }

  /**
   * @param {number} object
   * @param {number} state after the change, see ObjectVersions
   * @param {number} moment
   * @param {number} digest of its ETag; 0 if unknown
   */
  add(object, state, moment, digest) {
    const number = Atomics.add(this.#count, 0, 1) + 1;
    const first = this.#placeOf(number);
    // Readers ignore the change until its number is set.
    Atomics.store(this.#changes, first + NUMBER, 0);
    this.#changes[first + STATE] = state;
    this.#changes[first + MOMENT] = Math.max(moment, 0);
    this.#changes[first + DIGEST] = digest;
    this.#changes[first + BEFORE] = Atomics.load(this.#last, object);
    Atomics.store(this.#changes, first + NUMBER, number);
    Atomics.store(this.#last, object, number);
  }

  /**
   * @param {number} object
   * @param {number} version a former version of the object
   * @returns {number | null} the earliest moment at which it is known to have been replaced; null if unknown
   */
  replacedAt(object, version) {
    let moment = null;
    for (const change of this.#changesOf(object)) {
      if (versionOf(change.state) <= version) {
        break;
      }
      ({ moment } = change);
    }
    return moment;
  }

  /**
   * @param {number} object
   * @param {number} digest of an ETag
   * @returns {number} the last version with that ETag; -1 if none is known
   */
  versionWith(object, digest) {
    for (const change of this.#changesOf(object)) {
      if (change.digest === digest && !isRemoval(change.state)) {
        return versionOf(change.state);
      }
    }
    return -1;
  }

  /**
   * @param {number} object
   * @param {number} version
   * @returns {number} the version number of the last removal before that version; -1 if none is known
   */
  removalBefore(object, version) {
    for (const { state } of this.#changesOf(object)) {
      if (isRemoval(state) && versionOf(state) < version) {
        return versionOf(state);
      }
    }
    return -1;
  }

  /**
   * @param {number} object
   * @returns {Generator<{ state: number, moment: number, digest: number }, void, undefined>} its changes, latest first
   */
  *#changesOf(object) {
    let number = Atomics.load(this.#last, object);
    while (number !== 0) {
      const first = this.#placeOf(number);
      const [state, moment, digest, before] = [STATE, MOMENT, DIGEST, BEFORE].map(
        (word) => this.#changes[first + word],
      );
      if (Atomics.load(this.#changes, first + NUMBER) !== number) {
        return;
      }
      yield { state, moment, digest };
      number = before;
    }
  }

  /** @param {number} number of a change */
  #placeOf(number) {
    return (number % this.#capacity) * WORDS;
  }
}
