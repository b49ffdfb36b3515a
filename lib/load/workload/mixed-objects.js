/**
 * Effects of an operation on objects.
 *
 * @typedef {{ creates: boolean, copies: boolean, replaces: boolean, removes: boolean }} Effects
 */

/** A request whose client gave up cannot take effect later than this after its timeout. */
const LATE_EFFECT_MS = 2000;

/**
 * Shared by all workers: 12 bytes per object, and 4 more if objects are copied. The ledger takes another 4.
 *
 * @typedef {object} MixedMemory
 * @property {SharedArrayBuffer} begun see MixedObjects
 * @property {SharedArrayBuffer} answered
 * @property {SharedArrayBuffer} pauses
 * @property {SharedArrayBuffer | null} copyPauses null if nothing is copied
 * @property {number} writePause ms between two changes of an object
 * @property {number} settlingTime ms after which a change with an unknown outcome has taken effect, or never will
 */

/** At 20 bytes per object, they take 500 MB. */
export const MAX_MIXED_OBJECTS = 25_000_000;

/**
 * @param {number} objects
 * @param {{ copies: boolean, timeout: number, writePause?: number }} options `copies`: whether objects are copied;
 *   `timeout` of an attempt and `writePause` between two changes of an object in ms
 * @returns {MixedMemory}
 */
export function mixedMemory(objects, { copies, timeout, writePause = MIN_WRITE_PAUSE_MS }) {
  return {
    begun: new SharedArrayBuffer(objects * Uint32Array.BYTES_PER_ELEMENT),
    answered: new SharedArrayBuffer(objects * Uint32Array.BYTES_PER_ELEMENT),
    pauses: pauseMemory(objects),
    copyPauses: copies ? pauseMemory(objects) : null,
    writePause,
    settlingTime: timeout + LATE_EFFECT_MS,
  };
}

/**
 * State of this host's objects, by localIndex, in a run that overwrites them. Determines which versions a read may
 * return.
 *
 * The changes of an object are numbered from 1. A state is the number of a change times two, plus one if the change
 * leaves an object; 0 is the state before the first write. Two states per object decide: that of the last change
 * begun, and that of the last change answered with a success. A read may return any state from the last answered when
 * its request was sent to the last begun when its response began.
 *
 * This never rejects a correct response, because changes of an object never overlap, not even at the store:
 * - An object has at most one change in flight, and `begin` precedes its request. A state above the last begun thus
 *   cannot exist yet.
 * - A change whose outcome is unknown, because an attempt at it got no clear response, may take effect late. Even if
 *   another attempt succeeded, the object is therefore set aside until the timeout and two seconds have passed: only
 *   then may the next change begin. So once a change is answered, no earlier one can take effect any more, and a state
 *   below the last answered is stale. An attempt that the store declined (429, 503) has a second, like every change.
 * - A change that failed leaves the last answered state as it was: both states, and all in between, remain valid until
 *   the next change is answered.
 */
export class MixedObjects {
  #begun;
  #answered;
  #copyPauses;
  #writePause;
  #settlingTime;

  /** @param {MixedMemory} memory */
  constructor({ begun, answered, pauses, copyPauses, writePause, settlingTime }) {
    this.#begun = new Uint32Array(begun);
    this.#answered = new Uint32Array(answered);
    this.pauses = new WritePauses(pauses);
    this.#copyPauses = copyPauses === null ? null : new WritePauses(copyPauses);
    this.#writePause = writePause;
    this.#settlingTime = settlingTime;
  }

  /** @param {number} object */
  lastBegun(object) {
    return Atomics.load(this.#begun, object);
  }

  /** @param {number} object */
  lastAnswered(object) {
    return Atomics.load(this.#answered, object);
  }

  /**
   * Call this before sending a change, after the previous change has ended.
   *
   * @param {number} object
   * @param {boolean} removes
   * @returns {number} the resulting state
   */
  begin(object, removes) {
    const state = stateOf(versionOf(this.lastBegun(object)) + 1) - Number(removes);
    Atomics.store(this.#begun, object, state);
    return state;
  }

  /**
   * @param {number} object
   * @param {number} state that the store confirmed
   */
  answer(object, state) {
    Atomics.store(this.#answered, object, state);
  }

  /**
   * Allows the next change of an operation's object, or the next copy of it, once it is safe.
   *
   * @param {{ operation: Effects, localIndex: number, outcomeUnknown: boolean, attempts: number }} record that has ended
   * @param {() => number} now ms since an origin shared by all workers
   * @param {number} [object] of those of the operation
   */
  ended({ operation, localIndex, outcomeUnknown, attempts }, now, object = localIndex) {
    // An attempt that the store declined has a second.
    const pause = attempts > 1 ? MIN_WRITE_PAUSE_MS : this.#writePause;
    this.pausesOf(operation)?.release(object, now() + (outcomeUnknown ? this.#settlingTime : pause));
  }

  /**
   * @param {Effects} operation
   * @returns {WritePauses | null} null if the operation changes nothing
   */
  pausesOf({ creates, copies, replaces, removes }) {
    return creates || replaces || removes ? this.pauses : copies ? this.#copyPauses : null;
  }
}

/** The state in which the object has this version of its payload, from 0. @param {number} version */
export function stateOf(version) {
  return 2 * version + 3;
}

/** The version that a state's change writes, or would write if it were not a removal. @param {number} state */
export function versionOf(state) {
  return (state >>> 1) - 1;
}

/** @param {number} state */
export function isAbsent(state) {
  return state % 2 === 0;
}

/**
 * @param {number} lowest state that a read may return
 * @param {number} highest
 * @returns {boolean} whether the read may find no object
 */
export function mayBeAbsent(lowest, highest) {
  // Of several changes, only the kind of the last one is known: any of the others may be a removal.
  return isAbsent(lowest) || isAbsent(highest) || versionOf(highest) - versionOf(lowest) > 1;
}

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
