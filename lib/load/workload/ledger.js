const BYTES_PER_KEY = 4;

// The words before those of the keys.
const COUNT = 0;
const ETAGS_VARY = 1;
const HEADER = 2;

// A word is one of these states, or the digest of an ETag. Three bits are set aside.
const ABSENT = 0;
const REMOVED = 1;
const UNKNOWN = 2;
const NO_ETAG = 3;
const LISTED = 2 ** 30;
const PROVEN = 2 ** 31;
// The key may come into being once more, by a request that was sent before the one that succeeded.
const LATE = 2 ** 29;
const STATE = LATE - 1;

/** Memory of a {@link Ledger}, shared by all workers. @param {number} keys */
export function ledgerMemory(keys) {
  return new SharedArrayBuffer((keys + HEADER) * BYTES_PER_KEY);
}

/**
 * What the run knows of each key of this host, by localIndex: that it is absent (never written, or removed), that it is
 * present, with the digest of the ETag that the store returned, or that no one knows, because an answer was lost.
 * Workers write it as answers arrive. Nothing else tracks what exists.
 */
export class Ledger {
  #header;
  #words;

  /** @param {SharedArrayBuffer} memory see {@link ledgerMemory} */
  constructor(memory) {
    this.memory = memory;
    this.#header = new Int32Array(memory, 0, HEADER);
    this.#words = new Uint32Array(memory, HEADER * BYTES_PER_KEY);
  }

  /** Number of keys that are present. */
  get count() {
    return Atomics.load(this.#header, COUNT);
  }

  get size() {
    return this.#words.length;
  }

  /** The localIndex after the last key that is present; 0 if there is none. */
  get end() {
    let localIndex = this.size;
    while (localIndex > 0 && !this.has(localIndex - 1)) {
      localIndex -= 1;
    }
    return localIndex;
  }

  /** @param {number} localIndex */
  has(localIndex) {
    return this.#stateOf(localIndex) >= NO_ETAG;
  }

  /** Whether the store confirmed that it removed the key. @param {number} localIndex */
  isRemoved(localIndex) {
    return this.#stateOf(localIndex) === REMOVED;
  }

  /** @param {number} localIndex */
  isUnknown(localIndex) {
    return this.#stateOf(localIndex) === UNKNOWN;
  }

  /**
   * @param {number} localIndex of a key that is present
   * @param {number} digest of an ETag; 0 for none
   * @returns {boolean} false if it is another ETag than that of the write; the absence of an ETag proves nothing
   */
  matches(localIndex, digest) {
    const known = this.#stateOf(localIndex);
    return known === NO_ETAG || digest === 0 || known === presentState(digest) || this.#header[ETAGS_VARY] === 1;
  }

  /** Notes that this store, or a proxy, returns other ETags for objects than for their writes. */
  ignoreEtags() {
    this.#header[ETAGS_VARY] = 1;
  }

  /**
   * @param {number} localIndex of a key that the store confirmed to have written
   * @param {number} [digest] of its ETag; 0 if there is none, or if it may change
   */
  add(localIndex, digest = 0) {
    this.#set(localIndex, presentState(digest));
  }

  /** @param {number} localIndex of a key that the store confirmed to have removed */
  delete(localIndex) {
    this.#set(localIndex, (Atomics.load(this.#words, localIndex) & LATE) === 0 ? REMOVED : UNKNOWN);
  }

  /** @param {number} localIndex of a key that was written at the second attempt, and whose first may still take effect */
  expectLate(localIndex) {
    Atomics.or(this.#words, localIndex, LATE);
  }

  /** @param {number} localIndex of a key that is present or not, depending on a request whose answer was lost */
  doubt(localIndex) {
    this.#set(localIndex, UNKNOWN);
  }

  /** @param {number} localIndex of a key that the store does not have although it confirmed to have written it */
  lose(localIndex) {
    this.#set(localIndex, ABSENT);
  }

  /** Notes that a response has shown the key. @param {number} localIndex */
  prove(localIndex) {
    Atomics.or(this.#words, localIndex, PROVEN);
  }

  /** Whether a response has shown the key since it was written. @param {number} localIndex */
  isProven(localIndex) {
    return this.#words[localIndex] >= PROVEN;
  }

  /** Notes that a list has shown the key. @param {number} localIndex @returns {boolean} whether it is the first time */
  list(localIndex) {
    return (Atomics.or(this.#words, localIndex, PROVEN | LISTED) & LISTED) === 0;
  }

  /** @param {number} localIndex */
  isListed(localIndex) {
    return (this.#words[localIndex] & LISTED) !== 0;
  }

  /** Forgets which keys lists have shown. Words are not written without need: memory that never was takes no room. */
  forgetLists() {
    for (let localIndex = 0; localIndex < this.#words.length; localIndex++) {
      if (this.isListed(localIndex)) {
        this.#words[localIndex] &= ~LISTED;
      }
    }
  }

  /** @param {number} localIndex */
  #stateOf(localIndex) {
    return Atomics.load(this.#words, localIndex) & STATE;
  }

  /**
   * @param {number} localIndex
   * @param {number} state
   */
  #set(localIndex, state) {
    const before = Atomics.exchange(this.#words, localIndex, state) & STATE;
    const change = Number(state >= NO_ETAG) - Number(before >= NO_ETAG);
    if (change !== 0) {
      Atomics.add(this.#header, COUNT, change);
    }
  }
}

/** @param {number} digest of an ETag; 0 for none */
function presentState(digest) {
  return digest === 0 ? NO_ETAG : Math.max(digest & STATE, NO_ETAG + 1);
}

const BITS = 32;

/** One bit per object, shared by all workers. @param {number} objects */
export function seenMemory(objects) {
  return new SharedArrayBuffer(Math.ceil(objects / BITS) * Int32Array.BYTES_PER_ELEMENT);
}

/** Tracks which objects any worker has seen. */
export class SeenObjects {
  #words;

  /** @param {SharedArrayBuffer} memory see {@link seenMemory} */
  constructor(memory) {
    this.#words = new Int32Array(memory);
  }

  /** Marks an object as seen, and returns whether any worker had seen it before. @param {number} index zero-based */
  see(index) {
    const bit = 1 << (index % BITS);
    return (Atomics.or(this.#words, Math.floor(index / BITS), bit) & bit) !== 0;
  }
}
