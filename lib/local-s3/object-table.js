import { getFips, hash } from 'node:crypto';

/**
 * @typedef {object} StoredObject
 * @property {Buffer} body
 * @property {string} etag quoted MD5 of the body in hexadecimal; for multipart objects see UploadTable
 * @property {number} lastModified epoch ms
 * @property {StoredObject} [before] the state replaced by the last write, if kept
 *
 * @typedef {object} ObjectPage
 * @property {{ key: string, object: StoredObject }[]} entries in the order of the keys
 * @property {boolean} isTruncated whether more keys follow
 */

/** In FIPS mode, Node has no MD5. */
export const ETAG_HASH = getFips() === 0 ? 'md5' : 'sha256';

/**
 * Keys are in the order of JavaScript strings. It differs from S3's, that of UTF-8 bytes, only for characters beyond
 * U+FFFF, which no benchmark writes.
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
    return this.#objects.get(key);
  }

  /**
   * @param {string} key
   * @param {Buffer} body kept without copying
   * @param {number} now epoch ms
   * @param {string} [etag]
   */
  put(key, body, now, etag = `"${hash(ETAG_HASH, body)}"`) {
    /** @type {StoredObject} */
    const object = { body, etag, lastModified: now };
    const replaced = this.#objects.get(key);
    if (replaced === undefined) {
      this.#unsorted.push(key);
    } else if (this.#keepsBefore) {
      object.before = { ...replaced, before: undefined };
    }
    this.#objects.set(key, object);
    return object;
  }

  /** A table with one object as it was before its last write; empty if that state was not kept. @param {string} key */
  before(key) {
    const past = new ObjectTable();
    const object = this.get(key)?.before;
    if (object !== undefined) {
      past.#objects.set(key, object);
    }
    return past;
  }

  /** A table with the objects that have not been written since. @param {number} moment epoch ms */
  writtenBefore(moment) {
    const past = new ObjectTable();
    for (const [key, object] of this.#objects) {
      if (object.lastModified <= moment) {
        past.#objects.set(key, object);
        past.#unsorted.push(key);
      }
    }
    return past;
  }

  /** @param {string} key */
  delete(key) {
    this.#objects.delete(key);
  }

  /** @returns {string[]} all keys, in order */
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
    /** @type {ObjectPage['entries']} */
    const entries = [];
    for (let index = firstIndexAfter(sorted, after, prefix); sorted[index]?.startsWith(prefix); index++) {
      const object = this.#objects.get(sorted[index]);
      if (object !== undefined) {
        if (entries.length === maximum) {
          return { entries, isTruncated: true };
        }
        entries.push({ key: sorted[index], object });
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
      const known = new Set([...this.#sorted, ...this.#unsorted].filter((key) => this.#objects.has(key)));
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
