import { getFips, hash } from 'node:crypto';

/**
 * @typedef {object} StoredObject
 * @property {Buffer} body
 * @property {string} etag quoted MD5 of the body in hexadecimal; for multipart objects see UploadTable
 * @property {number} lastModified epoch ms
 * @property {StoredObject} [before] the state replaced by the last write, if kept
 *
 * @typedef {object} ObjectPage
 * @property {{ key: string, object: StoredObject }[]} entries in the order of the keys' UTF-8 bytes
 * @property {boolean} isTruncated whether more keys follow
 */

/** In FIPS mode, Node has no MD5. */
export const ETAG_HASH = getFips() === 0 ? 'md5' : 'sha256';

const NOT_ASCII = /[\u0080-\uffff]/;

/**
 * S3 lists keys in the order of their UTF-8 bytes, which differs from the order of JavaScript strings. Keys are
 * therefore stored as strings with one character per byte, so that they sort and match prefixes as bytes. ASCII keys,
 * the only keys that a benchmark writes, are the same in both forms.
 */
export class ObjectTable {
  /** @type {Map<string, StoredObject>} */
  #objects = new Map();
  /** Keys as of the last listing, in order; some may have been deleted since. @type {string[]} */
  #sorted = [];
  /** Keys added since the last listing. @type {string[]} */
  #unsorted = [];

  #keepsBefore;

  /** @param {{ keepsBefore?: boolean }} [options] whether to keep the state that the last write replaced */
  constructor({ keepsBefore = false } = {}) {
    this.#keepsBefore = keepsBefore;
  }

  get size() {
    return this.#objects.size;
  }

  /** @param {string} key */
  get(key) {
    return this.#objects.get(toByteString(key));
  }

  /**
   * @param {string} key
   * @param {Buffer} body kept without copying
   * @param {number} now epoch ms
   * @param {string} [etag]
   */
  put(key, body, now, etag = `"${hash(ETAG_HASH, body)}"`) {
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

  /** A table with one object as it was before its last write; empty if that state was not kept. @param {string} key */
  before(key) {
    const past = new ObjectTable();
    const object = this.get(key)?.before;
    if (object !== undefined) {
      past.#objects.set(toByteString(key), object);
    }
    return past;
  }

  /** A table with the objects that have not been written since. @param {number} moment epoch ms */
  writtenBefore(moment) {
    const past = new ObjectTable();
    for (const [bytes, object] of this.#objects) {
      if (object.lastModified <= moment) {
        past.#objects.set(bytes, object);
        past.#unsorted.push(bytes);
      }
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
   * @param {{ prefix: string, after: string, maximum: number }} selection keys up to and including `after` are
   *   excluded; '' excludes none
   * @returns {ObjectPage}
   */
  page({ prefix, after, maximum }) {
    const sorted = this.#sortedKeys();
    const first = toByteString(prefix);
    const last = toByteString(after);
    /** @type {ObjectPage['entries']} */
    const entries = [];
    for (let index = firstIndexAfter(sorted, last, first); index < sorted.length; index++) {
      const bytes = sorted[index];
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
   * Clean-up lists a page, deletes its keys and lists the next page. Deletions alone must not trigger a sort per page,
   * but deleted keys must not accumulate either. A key deleted and added again is in both lists, hence the Set.
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
 * @returns {number} the index of the first key that is greater than `after` and at least `prefix`
 */
function firstIndexAfter(sorted, after, prefix) {
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
