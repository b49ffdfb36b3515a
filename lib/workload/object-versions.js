/**
 * @typedef {'allowed' | 'maybe' | 'stale' | 'foreign'} Verdict of what a read returned: right; right, but of a write whose
 *   outcome is unknown; older than what was there for certain when it was sent; or nothing that can have been there
 */

/** From the best to the worst: where several versions fit, a read returned the best of them. @type {readonly Verdict[]} */
const VERDICTS = ['allowed', 'maybe', 'stale', 'foreign'];

/** Words of shared memory for each object. */
const WORDS = 4;

/** Places in the words of an object. */
const STARTED = 0;
const KNOWN = 1;
const REMOVED = 2;
const NOTES = 3;

/** A note is two words: a state with what is noted of it, and the place of the object's next note. */
const WORDS_A_NOTE = 2;

/**
 * Outcomes that are unknown, or refused, of so many more changes than there are objects can be noted. The system gives memory
 * to those alone that are.
 */
const FURTHER_NOTES = 2 ** 20;

/** In place of an object's notes, where there was no room for another one. */
const TOO_MANY = 2 ** 32 - 1;

const REFUSED = 1;

/**
 * @param {number} objects
 * @param {number} [furtherNotes] than one for each object
 * @returns {SharedArrayBuffer} for what is known of their versions on all cores: 16 bytes an object, and 8 for each note
 */
export function versionMemory(objects, furtherNotes = FURTHER_NOTES) {
  const notes = objects + furtherNotes;
  return new SharedArrayBuffer((1 + WORDS * objects + WORDS_A_NOTE * (notes + 1)) * Uint32Array.BYTES_PER_ELEMENT);
}

/**
 * Which versions of an object a read may return, while objects are written again and removed.
 *
 * The versions of an object are numbered; a removal has a number, too, and what it leaves is nothing. A state is a number
 * times two, plus one for a removal, so that states compare as their numbers do. One change of an object is under way at a
 * time, by the one host that owns it. A read that was sent at s, and whose answer began at e, may return
 * - any version from the lowest at s to the highest at e, but for those that the store refused. The lowest is the last one that
 *   was acknowledged, or that a read returned since; the highest is the last one that was started;
 * - any version of which an attempt ended without an answer, or with a server's error: it may be carried out later, even
 *   after others. Such a version raises the lowest neither when it is acknowledged nor when it is read.
 *
 * Nothing at all may come where one of these is a removal. Whatever else a read returns is an error of the store, if it is
 * strongly consistent: a version below the lowest is stale, any other one is foreign.
 *
 * Objects are named by their localIndex. All cores share the memory.
 */
export class ObjectVersions {
  #words;
  #notes;
  #olderCandidates;
  /** How many notes there are. */
  #noted;
  /** The removal before the one that is under way, by object: it counts again where the store refuses the later one. @type {Map<number, number>} */
  #removedBefore = new Map();

  /**
   * @param {SharedArrayBuffer} memory see {@link versionMemory}
   * @param {number} objects
   * @param {number} [olderCandidates] versions below the lowest that a read without a number in it may have returned
   */
  constructor(memory, objects, olderCandidates = OLDER_CANDIDATES) {
    this.#olderCandidates = olderCandidates;
    this.#noted = new Uint32Array(memory, 0, 1);
    this.#words = new Uint32Array(memory, Uint32Array.BYTES_PER_ELEMENT, WORDS * objects);
    this.#notes = new Uint32Array(memory, (1 + WORDS * objects) * Uint32Array.BYTES_PER_ELEMENT);
  }

  /**
   * Before any change: the object may be there as version 0, or not.
   *
   * @param {number} object
   */
  setUnknown(object) {
    const removal = stateOf(0, true);
    this.doubt(object, stateOf(0, false));
    this.#set(object, STARTED, removal);
    this.#set(object, KNOWN, removal);
    this.#set(object, REMOVED, removal);
  }

  /**
   * A change is about to be sent. The one before has come to its end.
   *
   * @param {number} object
   * @param {boolean} removes
   * @returns {number} the state that it makes
   */
  start(object, removes) {
    const state = stateOf(versionOf(this.highest(object)) + 1, removes);
    if (removes) {
      this.#removedBefore.set(object, this.#get(object, REMOVED));
      // Whoever sees the version has to know by then that it is a removal.
      this.#set(object, REMOVED, state);
    }
    this.#set(object, STARTED, state);
    return state;
  }

  /**
   * An attempt at a change may have been carried out, or may still be.
   *
   * @param {number} object
   * @param {number} state that it makes
   */
  doubt(object, state) {
    if (!this.isDoubtful(object, state)) {
      this.#note(object, state, 0);
    }
  }

  /**
   * The store said that a change was carried out.
   *
   * @param {number} object
   * @param {number} state that it made
   */
  acknowledge(object, state) {
    this.#removedBefore.delete(object);
    if (!this.isDoubtful(object, state)) {
      this.#raise(object, state);
    }
  }

  /**
   * A change came to nothing: each attempt was refused, or never sent, if it is not in doubt.
   *
   * @param {number} object
   * @param {number} state that it would have made
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

  /** Whether there was no room for a note, so that old versions of some objects can no longer be told from right ones. */
  get hasForgotten() {
    return WORDS_A_NOTE * (Atomics.load(this.#noted, 0) + 1) > this.#notes.length;
  }

  /**
   * @param {number} object
   * @returns {number} the state below which nothing may be read that is sent from now on
   */
  lowest(object) {
    return this.#get(object, KNOWN);
  }

  /**
   * @param {number} object
   * @returns {number} the state above which nothing can be read so far
   */
  highest(object) {
    return this.#get(object, STARTED);
  }

  /**
   * @param {number} object
   * @param {number} state
   * @returns {boolean} whether an attempt at it may have been carried out, or may still be, although it was not answered so
   */
  isDoubtful(object, state) {
    return this.#isNoted(object, state, 0);
  }

  /**
   * @param {number} object
   * @returns {boolean} whether the outcome of any of its changes is unknown, or was a refusal
   */
  hasNotes(object) {
    return this.#get(object, NOTES) !== 0;
  }

  /**
   * @param {number} object
   * @param {number} version that a read returned: that of a payload, which a removal has none of
   * @param {number} lowest state when the read was sent
   * @param {number} highest state when its answer began
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
   * Judges a whole body, and remembers what it shows.
   *
   * @param {number} object
   * @param {readonly number[]} fitting versions that all of its bytes fit
   * @param {number} lowest as for {@link judge}
   * @param {number} highest
   * @returns {{ verdict: Verdict, version: number }} the best verdict, and the version that it is about
   */
  judgeBody(object, fitting, lowest, highest) {
    const verdicts = fitting.map((version) => this.judge(object, version, lowest, highest));
    const verdict = VERDICTS.find((each) => verdicts.includes(each)) ?? 'foreign';
    const version = fitting[verdicts.indexOf(verdict)] ?? -1;
    // Where several versions fit, the read does not show that the older ones are gone.
    if (verdict === 'allowed' && verdicts.length === 1) {
      this.hasRead(object, version);
    }
    return { verdict, version };
  }

  /**
   * @param {number} object that a read did not find
   * @param {number} lowest as for {@link judge}
   * @param {number} highest
   * @returns {Verdict} never foreign: before its first version there was no object
   */
  judgeAbsence(object, lowest, highest) {
    // The removals in question are known before the highest state shows them. A later one, begun since then on another core,
    // may hide one of them.
    const removed = this.#get(object, REMOVED);
    if (this.#hasDoubtfulRemoval(object)) {
      return 'maybe';
    }
    const mayHide = removed > highest && versionOf(highest) > versionOf(lowest);
    return isRemoval(lowest) || (removed > lowest && (removed <= highest || mayHide)) ? 'allowed' : 'stale';
  }

  /**
   * A read returned a version that was allowed without a doubt: nothing older may be read from now on.
   *
   * @param {number} object
   * @param {number} version
   */
  hasRead(object, version) {
    this.#raise(object, stateOf(version, false));
  }

  /**
   * A read found nothing, likewise.
   *
   * @param {number} object
   * @param {number} lowest as for {@link judge}
   * @param {number} highest
   */
  hasMissed(object, lowest, highest) {
    // Of several versions in between, any may have been a removal.
    if (!isRemoval(lowest) && isRemoval(highest) && versionOf(highest) === versionOf(lowest) + 1) {
      this.#raise(object, highest);
    }
  }

  /**
   * Versions that a read without a number in it may have returned: those that are allowed, and others that are likely where
   * the store is wrong.
   *
   * @param {number} object
   * @param {number} lowest as for {@link judge}
   * @param {number} highest
   * @returns {number[]} without one twice
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
    const place = WORDS * object + KNOWN;
    let known = Atomics.load(this.#words, place);
    while (known < state) {
      const found = Atomics.compareExchange(this.#words, place, known, state);
      if (found === known) {
        return;
      }
      known = found;
    }
  }

  /**
   * Only the one who changes the object does it.
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
    // 0 is no note.
    const place = Atomics.add(this.#noted, 0, 1) + 1;
    if (WORDS_A_NOTE * (place + 1) > this.#notes.length) {
      this.#set(object, NOTES, TOO_MANY);
      return;
    }
    this.#notes[WORDS_A_NOTE * place] = 2 * state + flag;
    this.#notes[WORDS_A_NOTE * place + 1] = before;
    this.#set(object, NOTES, place);
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
    for (let place = first; place !== 0; place = this.#notes[WORDS_A_NOTE * place + 1]) {
      if (this.#notes[WORDS_A_NOTE * place] === 2 * state + flag) {
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
    for (let place = first; place !== 0; place = this.#notes[WORDS_A_NOTE * place + 1]) {
      const note = this.#notes[WORDS_A_NOTE * place];
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
    for (let place = first === TOO_MANY ? 0 : first; place !== 0; place = this.#notes[WORDS_A_NOTE * place + 1]) {
      yield this.#notes[WORDS_A_NOTE * place] >>> 1;
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

/** What is older than the lowest version by more than that is likely to be no version at all. */
const OLDER_CANDIDATES = 16;

/**
 * @param {number} version
 * @param {boolean} removes
 * @returns {number}
 */
export function stateOf(version, removes) {
  return 2 * version + Number(removes);
}

/**
 * @param {number} state
 * @returns {number} the number of its version
 */
export function versionOf(state) {
  return Math.floor(state / 2);
}

/**
 * @param {number} state
 * @returns {boolean} whether there is nothing then
 */
export function isRemoval(state) {
  return state % 2 === 1;
}
