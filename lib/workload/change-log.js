import { isRemoval, versionOf } from './object-versions.js';

/** Changes that are remembered, of all objects together: an hour and more with a thousand a second. The system gives memory to those alone that are. */
const CHANGES = 2 ** 22;

/** Words of a change. */
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
 * When objects were written again or removed, and which ETags their versions had: a cache may serve a version long after it was
 * replaced. The oldest changes are forgotten once there are too many.
 *
 * Objects are named by their localIndex. All cores share the memory; one change of an object is under way at a time. Moments are
 * ms since some moment that is the same for all cores.
 */
export class ChangeLog {
  /** How many changes there have been. */
  #count;
  /** The number of the last change by object; 0 if there was none. */
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

  /**
   * @param {number} object
   * @returns {boolean} whether it was changed
   */
  has(object) {
    return Atomics.load(this.#last, object) !== 0;
  }

  /**
   * @param {number} object
   * @param {number} state that it has now, see ObjectVersions
   * @param {number} moment
   * @param {number} digest of its ETag; 0 if it is not known
   */
  add(object, state, moment, digest) {
    const number = Atomics.add(this.#count, 0, 1) + 1;
    const first = this.#placeOf(number);
    // A reader must not take these words for another change while they are written.
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
   * @param {number} version that it had
   * @returns {number | null} the moment at which that was replaced, or one after it; null if that is not known
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
   * @returns {number} the last version that had it; -1 if none is known
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
   * @returns {number} the number of its last removal before that version; -1 if none is known
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
   * @returns {Generator<{ state: number, moment: number, digest: number }, void, undefined>} its changes, the last one first
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
