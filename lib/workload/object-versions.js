/**
 * @typedef {'allowed' | 'maybe' | 'stale' | 'foreign'} Verdict on a read. allowed: valid; maybe: valid if a write
 *   with an unknown outcome took effect; stale: older than the version that existed when the read was sent; foreign:
 *   never valid
 */

/** From best to worst: if several versions match, the best verdict counts. @type {readonly Verdict[]} */
const VERDICTS = ['allowed', 'maybe', 'stale', 'foreign'];

const WORDS = 4;

/** Indices of the words that are stored for an object. */
const STARTED = 0;
const KNOWN = 1;
const REMOVED = 2;
const NOTES = 3;

/** A note has two words: a state with a flag, and the index of the object's next note. */
const WORDS_PER_NOTE = 2;

/**
 * Maximum notes, in addition to one per object. A note records a change that was refused or whose outcome is unknown.
 * Memory is allocated only when used.
 */
const FURTHER_NOTES = 2 ** 20;

/** Replaces an object's notes when there is no room for another one. */
const TOO_MANY = 2 ** 32 - 1;

const REFUSED = 1;

/**
 * @param {number} objects
 * @param {number} [furtherNotes] in addition to one per object
 * @returns {SharedArrayBuffer} version state for all workers: 16 bytes per object, and 8 per note
 */
export function versionMemory(objects, furtherNotes = FURTHER_NOTES) {
  const notes = objects + furtherNotes;
  return new SharedArrayBuffer((1 + WORDS * objects + WORDS_PER_NOTE * (notes + 1)) * Uint32Array.BYTES_PER_ELEMENT);
}

/**
 * Determines which versions a read may return while objects are overwritten and removed.
 *
 * The versions of an object are numbered. A removal also has a number, but leaves no object. A state is the number
 * times two, plus one for a removal, so that states sort like their numbers. An object has at most one change in
 * flight, made by the host that owns it. A read that was sent at s, and whose response began at e, may return
 * - any version from the lowest at s to the highest at e, except those that the store refused. The lowest is the last
 *   version acknowledged, or returned by a read since; the highest is the last one started;
 * - any version with an attempt that ended without a response, or with a server error: it may take effect later, even
 *   after other changes. Acknowledging or reading such a version does not raise the lowest.
 *
 * If one of these is a removal, the read may also find no object. Any other outcome is an error of a strongly
 * consistent store: a version below the lowest is stale, all others are foreign.
 *
 * Objects are identified by localIndex. All workers share the memory.
 */
export class ObjectVersions {
  #words;
  #notes;
  #olderCandidates;
  #noted;
  /** By object, the removal to restore if the store refuses the one in flight. @type {Map<number, number>} */
  #removedBefore = new Map();

  /**
   * @param {SharedArrayBuffer} memory see {@link versionMemory}
   * @param {number} objects
   * @param {number} [olderCandidates] how many versions below the lowest to try if a body does not identify its version
   */
  constructor(memory, objects, olderCandidates = OLDER_CANDIDATES) {
    this.#olderCandidates = olderCandidates;
    this.#noted = new Uint32Array(memory, 0, 1);
    this.#words = new Uint32Array(memory, Uint32Array.BYTES_PER_ELEMENT, WORDS * objects);
    this.#notes = new Uint32Array(memory, (1 + WORDS * objects) * Uint32Array.BYTES_PER_ELEMENT);
  }

  /** Call this before any change of an object that may exist as version 0, or not at all. @param {number} object */
  setUnknown(object) {
    const removal = stateOf(0, true);
    this.doubt(object, stateOf(0, false));
    this.#set(object, STARTED, removal);
    this.#set(object, KNOWN, removal);
    this.#set(object, REMOVED, removal);
  }

  /**
   * Call this before sending a change, after the previous change has ended.
   *
   * @param {number} object
   * @param {boolean} removes
   * @returns {number} the resulting state
   */
  start(object, removes) {
    const state = stateOf(versionOf(this.highest(object)) + 1, removes);
    if (removes) {
      this.#removedBefore.set(object, this.#get(object, REMOVED));
      // Set this first: a worker that sees the version must already know that it is a removal.
      this.#set(object, REMOVED, state);
    }
    this.#set(object, STARTED, state);
    return state;
  }

  /**
   * Records that an attempt at a change may have taken effect, or may still do so.
   *
   * @param {number} object
   * @param {number} state that it would produce
   */
  doubt(object, state) {
    if (!this.isDoubtful(object, state)) {
      this.#note(object, state, 0);
    }
  }

  /**
   * Records that the store confirmed a change.
   *
   * @param {number} object
   * @param {number} state that it produced
   */
  acknowledge(object, state) {
    this.#removedBefore.delete(object);
    if (!this.isDoubtful(object, state)) {
      this.#raise(object, state);
    }
  }

  /**
   * Records that a change failed. It cannot take effect unless {@link doubt} was called for it.
   *
   * @param {number} object
   * @param {number} state that it would have produced
   */
  refuse(object, state) {
    const removedBefore = this.#removedBefore.get(object);
    this.#removedBefore.delete(object);
    if (this.isDoubtful(object, state)) {
      return;
    }
    this.#note(object, state, REFUSED);
    if (removedBefore !== undefined) {
      this.#set(object, REMOVED, removedBefore);
    }
  }

  /** Whether notes overflowed: stale versions of some objects can no longer be distinguished from valid ones. */
  get hasForgotten() {
    return WORDS_PER_NOTE * (Atomics.load(this.#noted, 0) + 1) > this.#notes.length;
  }

  /** The lowest state that a read sent from now on may return. @param {number} object */
  lowest(object) {
    return this.#get(object, KNOWN);
  }

  /** The highest state that a read may return so far. @param {number} object */
  highest(object) {
    return this.#get(object, STARTED);
  }

  /**
   * @param {number} object
   * @param {number} state
   * @returns {boolean} whether an unconfirmed attempt to produce this state may have taken effect, or still may
   */
  isDoubtful(object, state) {
    return this.#isNoted(object, state, 0);
  }

  /** Whether any change of the object was refused or has an unknown outcome. @param {number} object */
  hasNotes(object) {
    return this.#get(object, NOTES) !== 0;
  }

  /**
   * @param {number} object
   * @param {number} version that a read returned; a removal never has one
   * @param {number} lowest state when the read was sent
   * @param {number} highest state when its response began
   * @returns {Verdict}
   */
  judge(object, version, lowest, highest) {
    const state = stateOf(version, false);
    if (this.#get(object, NOTES) === TOO_MANY) {
      return state <= highest ? 'maybe' : 'foreign';
    }
    if (this.#isNoted(object, state, REFUSED)) {
      return 'foreign';
    }
    if (this.isDoubtful(object, state)) {
      return 'maybe';
    }
    if (version < versionOf(lowest)) {
      return 'stale';
    }
    return version > versionOf(highest) ? 'foreign' : 'allowed';
  }

  /**
   * Judges a complete body and records what it proves.
   *
   * @param {number} object
   * @param {readonly number[]} fitting versions that match all of its bytes
   * @param {number} lowest as for {@link judge}
   * @param {number} highest
   * @returns {{ verdict: Verdict, version: number }} the best verdict and its version
   */
  judgeBody(object, fitting, lowest, highest) {
    const verdicts = fitting.map((version) => this.judge(object, version, lowest, highest));
    const verdict = VERDICTS.find((each) => verdicts.includes(each)) ?? 'foreign';
    const version = fitting[verdicts.indexOf(verdict)] ?? -1;
    // If several versions match, the read does not prove that the older ones were replaced.
    if (verdict === 'allowed' && verdicts.length === 1) {
      this.hasRead(object, version);
    }
    return { verdict, version };
  }

  /**
   * @param {number} object that a read did not find
   * @param {number} lowest as for {@link judge}
   * @param {number} highest
   * @returns {Verdict} never foreign, because no object existed before the first version
   */
  judgeAbsence(object, lowest, highest) {
    // Only the last removal is known, and it is recorded before `highest` includes it. A removal after `highest` may
    // therefore hide one between `lowest` and `highest`.
    const removed = this.#get(object, REMOVED);
    if (this.#hasDoubtfulRemoval(object)) {
      return 'maybe';
    }
    const mayHide = removed > highest && versionOf(highest) > versionOf(lowest);
    return isRemoval(lowest) || (removed > lowest && (removed <= highest || mayHide)) ? 'allowed' : 'stale';
  }

  /**
   * Records that a read returned a version that was certainly valid. From now on, older versions are stale.
   *
   * @param {number} object
   * @param {number} version
   */
  hasRead(object, version) {
    this.#raise(object, stateOf(version, false));
  }

  /**
   * Records that a read validly found no object. If only one removal can explain this, older versions are stale
   * from now on.
   *
   * @param {number} object
   * @param {number} lowest as for {@link judge}
   * @param {number} highest
   */
  hasMissed(object, lowest, highest) {
    // If several versions follow `lowest`, any of them may be the removal that the read saw.
    if (!isRemoval(lowest) && isRemoval(highest) && versionOf(highest) === versionOf(lowest) + 1) {
      this.#raise(object, highest);
    }
  }

  /**
   * Lists the versions that a read may have returned if the body does not identify its version: the valid ones, and
   * others that a faulty store is likely to return.
   *
   * @param {number} object
   * @param {number} lowest as for {@link judge}
   * @param {number} highest
   * @returns {number[]} without duplicates
   */
  candidates(object, lowest, highest) {
    const versions = new Set();
    const last = versionOf(highest);
    for (let version = last; version >= 0 && version >= versionOf(lowest) - this.#olderCandidates; version--) {
      versions.add(version);
    }
    for (const state of this.#notedStates(object)) {
      versions.add(versionOf(state));
    }
    return [...versions];
  }

  /**
   * @param {number} object
   * @param {number} state
   */
  #raise(object, state) {
    const index = WORDS * object + KNOWN;
    let known = Atomics.load(this.#words, index);
    while (known < state) {
      const found = Atomics.compareExchange(this.#words, index, known, state);
      if (found === known) {
        return;
      }
      known = found;
    }
  }

  /**
   * Called only by the worker that changes the object.
   *
   * @param {number} object
   * @param {number} state
   * @param {number} flag REFUSED or 0
   */
  #note(object, state, flag) {
    const before = this.#get(object, NOTES);
    if (before === TOO_MANY) {
      return;
    }
    // Index 0 means no note.
    const index = Atomics.add(this.#noted, 0, 1) + 1;
    if (WORDS_PER_NOTE * (index + 1) > this.#notes.length) {
      this.#set(object, NOTES, TOO_MANY);
      return;
    }
    this.#notes[WORDS_PER_NOTE * index] = 2 * state + flag;
    this.#notes[WORDS_PER_NOTE * index + 1] = before;
    this.#set(object, NOTES, index);
  }

  /**
   * @param {number} object
   * @param {number} state
   * @param {number} flag
   */
  #isNoted(object, state, flag) {
    const first = this.#get(object, NOTES);
    if (first === 0) {
      return false;
    }
    if (first === TOO_MANY) {
      return flag !== REFUSED;
    }
    for (let index = first; index !== 0; index = this.#notes[WORDS_PER_NOTE * index + 1]) {
      if (this.#notes[WORDS_PER_NOTE * index] === 2 * state + flag) {
        return true;
      }
    }
    return false;
  }

  /** @param {number} object */
  #hasDoubtfulRemoval(object) {
    const first = this.#get(object, NOTES);
    if (first === TOO_MANY) {
      return true;
    }
    for (let index = first; index !== 0; index = this.#notes[WORDS_PER_NOTE * index + 1]) {
      const note = this.#notes[WORDS_PER_NOTE * index];
      if ((note & 1) !== REFUSED && isRemoval(note >>> 1)) {
        return true;
      }
    }
    return false;
  }

  /**
   * @param {number} object
   * @returns {Generator<number, void, undefined>}
   */
  *#notedStates(object) {
    const first = this.#get(object, NOTES);
    for (let index = first === TOO_MANY ? 0 : first; index !== 0; index = this.#notes[WORDS_PER_NOTE * index + 1]) {
      yield this.#notes[WORDS_PER_NOTE * index] >>> 1;
    }
  }

  /**
   * @param {number} object
   * @param {number} word
   */
  #get(object, word) {
    return Atomics.load(this.#words, WORDS * object + word);
  }

  /**
   * @param {number} object
   * @param {number} word
   * @param {number} value
   */
  #set(object, word, value) {
    Atomics.store(this.#words, WORDS * object + word, value);
  }
}

/** A faulty store is unlikely to return a version further below the lowest than this. */
const OLDER_CANDIDATES = 16;

/**
 * @param {number} version
 * @param {boolean} removes
 */
export function stateOf(version, removes) {
  return 2 * version + Number(removes);
}

/** @param {number} state */
export function versionOf(state) {
  return Math.floor(state / 2);
}

/** Whether the object is absent in this state. @param {number} state */
export function isRemoval(state) {
  return state % 2 === 1;
}
