import { hash } from 'node:crypto';

/**
 * @typedef {object} StoredObject
 * @property {Buffer} body
 * @property {string} etag the MD5 of the body in hexadecimal, in quotes; of an object in parts see UploadTable
 * @property {number} lastModified epoch milliseconds
 * @property {StoredObject} [before] what the last write has replaced, where that is kept
 *
 * @typedef {object} ObjectPage
 * @property {{ key: string, object: StoredObject }[]} entries in the order of the keys' UTF-8 bytes
 * @property {boolean} isTruncated whether more keys follow
 */

const NOT_ASCII = /[\u0080-\uffff]/;

/**
 * The objects of one bucket.
 *
 * S3 lists keys in the order of their UTF-8 bytes, which is not the order of JavaScript's strings. Keys are therefore
 * held as strings of one character a byte: those sort, compare and share prefixes as the bytes do. (ASCII keys, all
 * that a benchmark writes, are the same in both forms.)
 */
export class ObjectTable {
  /** @type {Map<string, StoredObject>} */
  #objects = new Map();
  /** The keys in order, as of the last listing: deleted ones may still stand among them. @type {string[]} */
  #sorted = [];
  /** Keys that came after the last listing. @type {string[]} */
  #unsorted = [];

  #keepsBefore;

  /** @param {{ keepsBefore?: boolean }} [options] whether what a write replaces is kept, until the next one */
  constructor({ keepsBefore = false } = {}) {
    this.#keepsBefore = keepsBefore;
  }

  /** How many objects there are. */
  get size() {
    return this.#objects.size;
  }

  /**
   * @param {string} key
   * @returns {StoredObject | undefined}
   */
  get(key) {
    return this.#objects.get(toByteString(key));
  }

  /**
   * @param {string} key
   * @param {Buffer} body is kept, not copied
   * @param {number} now epoch milliseconds
   * @param {string} [etag]
   * @returns {StoredObject}
   */
  put(key, body, now, etag = `"${hash('md5', body)}"`) {
    const bytes = toByteString(key);
    /** @type {StoredObject} */
    const object = { body, etag, lastModified: now };
    const replaced = this.#objects.get(bytes);
    if (replaced === undefined) {
      this.#unsorted.push(bytes);
    } else if (this.#keepsBefore) {
      object.before = { ...replaced, before: undefined };
    }
    this.#objects.set(bytes, object);
    return object;
  }

  /**
   * @param {string} key
   * @returns {ObjectTable} of that object alone, as it was before its last write, if that is kept
   */
  before(key) {
    const past = new ObjectTable();
    const object = this.get(key)?.before;
    if (object !== undefined) {
      past.#objects.set(toByteString(key), object);
    }
    return past;
  }

  /** @param {string} key */
  delete(key) {
    this.#objects.delete(toByteString(key));
  }

  /** @returns {string[]} all keys, in the order of their UTF-8 bytes */
  keys() {
    return this.page({ prefix: '', after: '', maximum: Infinity }).entries.map(({ key }) => key);
  }

  /**
   * @param {object} selection
   * @param {string} selection.prefix what the keys begin with
   * @param {string} selection.after keys up to and including this one are left out; '' leaves out none
   * @param {number} selection.maximum entries at most
   * @returns {ObjectPage}
   */
  page({ prefix, after, maximum }) {
    const sorted = this.#sortedKeys();
    const first = toByteString(prefix);
    const last = toByteString(after);
    /** @type {ObjectPage['entries']} */
    const entries = [];
    for (let place = firstPlaceAfter(sorted, last, first); place < sorted.length; place++) {
      const bytes = sorted[place];
      if (!bytes.startsWith(first)) {
        break;
      }
      const object = this.#objects.get(bytes);
      if (object !== undefined) {
        if (entries.length === maximum) {
          return { entries, isTruncated: true };
        }
        entries.push({ key: fromByteString(bytes), object });
      }
    }
    return { entries, isTruncated: false };
  }

  /**
   * A clean-up lists a page, deletes it and lists the next: deletions alone must not cost a sort for each page, yet keys
   * that are gone may not pile up either. A key that went and came again stands in both lists, hence the Set.
   */
  #sortedKeys() {
    if (this.#unsorted.length > 0 || this.#sorted.length > 2 * this.#objects.size) {
      const known = new Set([...this.#sorted, ...this.#unsorted].filter((bytes) => this.#objects.has(bytes)));
      this.#sorted = [...known].sort();
      this.#unsorted = [];
    }
    return this.#sorted;
  }
}

/**
 * @param {readonly string[]} sorted
 * @param {string} after
 * @param {string} prefix
 * @returns {number} the position of the first key that comes after `after` and not before `prefix`
 */
function firstPlaceAfter(sorted, after, prefix) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((after !== '' && sorted[middle] <= after) || sorted[middle] < prefix) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/** @param {string} text */
function toByteString(text) {
  return NOT_ASCII.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text;
}

/** @param {string} bytes */
function fromByteString(bytes) {
  return NOT_ASCII.test(bytes) ? Buffer.from(bytes, 'latin1').toString('utf8') : bytes;
}
