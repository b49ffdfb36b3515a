/** @import { ListPosition, ListedUpload } from '../../lib/store/bucket-admin.js' */

/**
 * @typedef {object} Script what goes wrong
 * @property {number} [pageLength] keys per page
 * @property {boolean} [honoursStartAfter] whether a list can begin after a key, as well as after a page
 * @property {(key: string) => boolean} [hides] keys that no list shows
 * @property {(keys: readonly string[]) => string[]} [refuse] keys of a batch that are not deleted
 * @property {boolean} [listsWholeKeys] whether to list uploads only by whole keys, or all of them, like MinIO
 * @property {(request: 'list' | 'delete' | 'has' | 'uploads' | 'abort') => void} [before] called before each request, which fails with what it throws
 */

export class FakeAdmin {
  #pageLength;
  #hides;
  #refuse;
  #before;
  #listsWholeKeys;
  #honoursStartAfter;
  #listing = 0;
  /** By bucket. @type {Map<string, ListedUpload[]>} */
  #uploads = new Map();
  /** @type {Map<string, string[]>} sorted keys by bucket */
  #keys;
  /** When an object was written, in epoch ms. @type {(key: string) => number} */
  modifiedAt = () => 0;
  lists = 0;
  batches = 0;
  questions = 0;
  maxLists = 0;
  maxBatchSize = 0;

  /**
   * @param {Record<string, string[]>} keys by bucket
   * @param {Script} [script]
   */
  constructor(keys, { pageLength = 1000, hides = () => false, refuse = () => [], ...script } = {}) {
    const { before = () => {}, listsWholeKeys = false, honoursStartAfter = true } = script;
    this.#keys = new Map(Object.entries(keys).map(([bucket, held]) => [bucket, [...new Set(held)].sort()]));
    this.#pageLength = pageLength;
    this.#hides = hides;
    this.#refuse = refuse;
    this.#before = before;
    this.#listsWholeKeys = listsWholeKeys;
    this.#honoursStartAfter = honoursStartAfter;
  }

  /**
   * @param {string} bucket
   * @param {string} prefix
   * @param {ListPosition} from
   */
  async listPage(bucket, prefix, { input }) {
    const after = (this.#honoursStartAfter ? input.StartAfter : undefined) ?? input.ContinuationToken ?? '';
    this.lists += 1;
    this.#listing += 1;
    this.maxLists = Math.max(this.maxLists, this.#listing);
    await new Promise((resolve) => setImmediate(resolve));
    this.#listing -= 1;
    this.#before('list');
    const found = this.keysOf(bucket).filter((key) => key.startsWith(prefix) && key > after && !this.#hides(key));
    const page = found.slice(0, this.#pageLength);
    const objects = page.map((key) => ({ key, size: key.length, modifiedAt: this.modifiedAt(key) }));
    const last = page.at(-1) ?? '';
    /** @type {ListPosition} */
    const next = { after: last, input: { ContinuationToken: last } };
    return { objects, next: found.length > this.#pageLength ? next : null };
  }

  /**
   * @param {string} bucket
   * @param {readonly string[]} keys
   */
  async deleteBatch(bucket, keys) {
    this.batches += 1;
    this.maxBatchSize = Math.max(this.maxBatchSize, keys.length);
    this.#before('delete');
    const refused = this.#refuse(keys);
    const gone = new Set(keys.filter((key) => !refused.includes(key)));
    this.#keys.set(
      bucket,
      this.keysOf(bucket).filter((key) => !gone.has(key)),
    );
    return refused.map((key) => `${key}: AccessDenied Locked.`);
  }

  /**
   * @param {string} bucket
   * @param {string} key
   */
  async deleteObject(bucket, key) {
    this.#keys.set(
      bucket,
      this.keysOf(bucket).filter((each) => each !== key),
    );
  }

  /**
   * @param {string} bucket
   * @param {string} key
   */
  async has(bucket, key) {
    this.questions += 1;
    this.#before('has');
    return this.keysOf(bucket).includes(key);
  }

  /**
   * @param {string} bucket
   * @param {string} prefix
   * @param {ListPosition} after
   */
  async listUploadsPage(bucket, prefix, { after: key, input: { UploadIdMarker: uploadId = '' } }) {
    this.#before('uploads');
    const found = this.uploadsOf(bucket).filter(
      (upload) =>
        (this.#listsWholeKeys ? prefix === '' || upload.key === prefix : upload.key.startsWith(prefix)) &&
        (upload.key > key || (upload.key === key && upload.uploadId > uploadId)),
    );
    const uploads = found.slice(0, this.#pageLength);
    const { key: after = '', uploadId: UploadIdMarker } = uploads.at(-1) ?? {};
    return { uploads, next: found.length > this.#pageLength ? { after, input: { UploadIdMarker } } : null };
  }

  /**
   * @param {string} bucket
   * @param {Pick<ListedUpload, 'key' | 'uploadId'>} upload
   */
  async abortUpload(bucket, { key, uploadId }) {
    this.#before('abort');
    this.#uploads.set(
      bucket,
      this.uploadsOf(bucket).filter((upload) => upload.key !== key || upload.uploadId !== uploadId),
    );
  }

  /**
   * @param {string} bucket
   * @param {string} key
   * @param {string} uploadId
   */
  plantUpload(bucket, key, uploadId) {
    const uploads = [...this.uploadsOf(bucket), { key, uploadId, initiatedAt: this.modifiedAt(key) }];
    const name = (/** @type {ListedUpload} */ upload) => `${upload.key} ${upload.uploadId}`;
    this.#uploads.set(
      bucket,
      uploads.sort((one, other) => (name(one) < name(other) ? -1 : 1)),
    );
  }

  /** @param {string} bucket */
  uploadsOf(bucket) {
    return this.#uploads.get(bucket) ?? [];
  }

  /**
   * @param {string} bucket
   * @param {string} key
   */
  plant(bucket, key) {
    this.#keys.set(bucket, [...this.keysOf(bucket), key].sort());
  }

  /** @param {string} bucket */
  keysOf(bucket) {
    return this.#keys.get(bucket) ?? [];
  }
}
