import { createHash, hash, randomBytes } from 'node:crypto';
import { ETAG_HASH } from './object-table.js';
import { S3Error } from './s3-error.js';

/**
 * @typedef {object} PendingUpload
 * @property {string} key
 * @property {string} id
 * @property {number} initiated epoch ms
 * @property {Map<number, { body: Buffer, digest: Buffer }>} parts by number
 *
 * @typedef {{ number: number, etag: string }} NamedPart in a completion; the ETag is unquoted
 *
 * @typedef {{ entries: PendingUpload[], isTruncated: boolean }} UploadPage ordered by key, then by ID
 */

/** S3's limits. */
const MIN_PART_BYTES = 5 * 1024 ** 2;
const MAX_PART_NUMBER = 10_000;

const ID_BYTES = 16;

export class UploadTable {
  /** @type {Map<string, PendingUpload>} */
  #uploads = new Map();

  get size() {
    return this.#uploads.size;
  }

  /**
   * @param {string} key
   * @param {number} now epoch ms
   * @returns {string} the new upload's ID
   */
  create(key, now) {
    const id = randomBytes(ID_BYTES).toString('hex');
    this.#uploads.set(id, { key, id, initiated: now, parts: new Map() });
    return id;
  }

  /**
   * @param {string} key
   * @param {string} id
   * @param {number} number from 1
   * @param {Buffer} body kept without copying
   * @returns {string} the part's ETag, in quotes
   * @throws {S3Error} NoSuchUpload, or InvalidArgument
   */
  putPart(key, id, number, body) {
    const { parts } = this.#existing(key, id);
    if (!(Number.isInteger(number) && number >= 1 && number <= MAX_PART_NUMBER)) {
      throw new S3Error(
        'InvalidArgument',
        `Part number must be an integer between 1 and ${MAX_PART_NUMBER}, inclusive.`,
      );
    }
    const digest = createHash(ETAG_HASH).update(body).digest();
    parts.set(number, { body, digest });
    return `"${digest.toString('hex')}"`;
  }

  /**
   * @param {string} key
   * @param {string} id
   * @param {readonly NamedPart[]} named
   * @returns {{ body: Buffer, etag: string }} the ETag is the MD5 of the parts' MD5s, followed by the number of parts
   * @throws {S3Error} if the parts do not match the uploaded ones; the upload then remains pending
   */
  complete(key, id, named) {
    const { parts } = this.#existing(key, id);
    if (named.some(({ number }, index) => index > 0 && number <= named[index - 1].number)) {
      throw new S3Error('InvalidPartOrder', 'The list of parts was not in ascending order.');
    }
    const found = named.map(({ number, etag }) => {
      const part = parts.get(number);
      if (part === undefined || part.digest.toString('hex') !== etag) {
        throw new S3Error('InvalidPart', `Part ${number} was not uploaded, or has a different ETag.`);
      }
      return part;
    });
    refuseUnequal(found.map(({ body }) => body.length));
    const body = Buffer.concat(found.map((part) => part.body));
    this.#uploads.delete(id);
    const digest = hash(ETAG_HASH, Buffer.concat(found.map((part) => part.digest)));
    return { body, etag: `"${digest}-${found.length}"` };
  }

  /**
   * @param {string} key
   * @param {string} id
   * @throws {S3Error} NoSuchUpload
   */
  abort(key, id) {
    this.#existing(key, id);
    this.#uploads.delete(id);
  }

  /**
   * @param {{ prefix: string, afterKey: string, afterId: string, maximum: number }} selection only keys after
   *   `afterKey` ('' for all keys), and uploads of `afterKey` itself whose IDs come after `afterId` ('' for none)
   * @returns {UploadPage}
   */
  page({ prefix, afterKey, afterId, maximum }) {
    const isAfter = (/** @type {PendingUpload} */ { key, id }) =>
      compareBytes(key, afterKey) > 0 || (key === afterKey && afterId !== '' && id > afterId);
    const all = [...this.#uploads.values()]
      .filter((upload) => upload.key.startsWith(prefix) && (afterKey === '' || isAfter(upload)))
      .sort((one, other) => compareBytes(one.key, other.key) || (one.id < other.id ? -1 : 1));
    return { entries: all.slice(0, maximum), isTruncated: all.length > maximum };
  }

  /**
   * @param {string} key
   * @param {string} id
   */
  #existing(key, id) {
    const upload = this.#uploads.get(id);
    if (upload === undefined || upload.key !== key) {
      throw new S3Error('NoSuchUpload', 'The specified multipart upload does not exist.');
    }
    return upload;
  }
}

/**
 * R2 requires all parts to have the same length, except that the last one may be shorter.
 *
 * @param {readonly number[]} sizes bytes of each part
 * @throws {S3Error}
 */
function refuseUnequal(sizes) {
  const [first] = sizes;
  if (sizes.slice(0, -1).some((size) => size < MIN_PART_BYTES)) {
    throw new S3Error('EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size.');
  }
  if (sizes.some((size, index) => (index < sizes.length - 1 ? size !== first : size > first))) {
    throw new S3Error('InvalidPart', 'All parts except the last one must have the same length.');
  }
}

/**
 * @param {string} one
 * @param {string} other
 */
function compareBytes(one, other) {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
