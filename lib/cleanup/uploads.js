import { AttemptError } from '../s3/s3-error.js';
import { inParallel } from './in-parallel.js';

/**
 * @import { ListedUpload, UploadPosition } from '../s3/bucket-admin.js'
 * @import { OwnKey } from '../workload/keyspace.js'
 * @import { BucketAccess } from './bucket-access.js'
 * @import { CleanupOptions } from './cleanup.js'
 */

/** Buckets that are listed, and then uploads that are aborted, at the same time. */
const AT_ONCE = 8;

/** Where a bucket has more pages of uploads of others, they are not gone through. */
const MAX_PAGES_OF_ALL = 100;

/** How a store answers that has no such list: it keeps no uploads, either. */
const NOT_IMPLEMENTED = 501;

/**
 * An upload that a run began.
 *
 * @typedef {OwnKey & { bucket: string, key: string, uploadId: string, isInPlace: boolean }} OwnUpload `isInPlace` is whether
 *   the object would be in the bucket that the list of buckets gives it
 */

/**
 * Aborts the multipart uploads of a run: only those whose key is one that the run itself would have given an object.
 *
 * @param {CleanupOptions} options
 * @param {(upload: OwnUpload) => void} onAborted
 */
export async function abortUploads(options, onAborted) {
  const { admin, retry } = options;
  const uploads = (await ownUploads(options)).filter(({ isInPlace }) => isInPlace);
  await inParallel(uploads, AT_ONCE, async (upload) => {
    await retry(() => admin.abortUpload(upload.bucket, upload));
    onAborted(upload);
  });
}

/**
 * @param {Pick<CleanupOptions, 'admin' | 'retry' | 'keyspace' | 'owns'>} options
 * @returns {Promise<OwnUpload[]>} those of the run, by the store's own list
 */
export async function ownUploads({ admin, retry, keyspace, owns }) {
  /** @type {OwnUpload[]} */
  const found = [];
  await inParallel(keyspace.buckets, AT_ONCE, (bucket) =>
    walkUploads({ admin, retry }, bucket, keyspace.keyPrefix, (uploads) => {
      for (const { key, uploadId } of uploads) {
        const own = keyspace.recogniseName(key);
        if (own !== null && owns(own)) {
          found.push({ ...own, bucket, key, uploadId, isInPlace: keyspace.bucketOf(own.index) === bucket });
        }
      }
    }),
  );
  return found;
}

/**
 * Goes over the uploads of a bucket under a prefix, page by page. MinIO lists those of a whole key, or all that there are,
 * but none by the beginning of their keys: where a prefix shows nothing, all are looked at, unless the store turns out to go by
 * prefixes.
 *
 * @param {BucketAccess} access
 * @param {string} bucket
 * @param {string} prefix
 * @param {(uploads: readonly ListedUpload[]) => void} visit takes those of a page that are under the prefix
 * @throws {AttemptError} also where there are too many others to find out
 */
export async function walkUploads(access, bucket, prefix, visit) {
  const isUnder = (/** @type {ListedUpload} */ { key }) => key.startsWith(prefix);
  let isShown = false;
  for await (const { uploads } of pagesOf(access, bucket, prefix)) {
    isShown ||= uploads.length > 0;
    visit(uploads.filter(isUnder));
  }
  if (isShown) {
    return;
  }
  let pages = 0;
  for await (const { uploads, isLast } of pagesOf(access, bucket, '')) {
    visit(uploads.filter(isUnder));
    pages += 1;
    if (!isLast && pages === 1 && (await listsByPrefix(access, bucket, uploads[0].key))) {
      return;
    }
    if (!isLast && pages === MAX_PAGES_OF_ALL) {
      const message = `the store lists no uploads by the beginning of their keys, and bucket ${bucket} has too many to look at them all`;
      throw new AttemptError({ kind: 'protocol', handling: 'fail', message });
    }
  }
}

/**
 * @param {BucketAccess} access
 * @param {string} bucket
 * @param {string} key of an upload that is there
 * @returns {Promise<boolean>} whether the store shows it to somebody who knows all of its key but the last character
 */
async function listsByPrefix({ admin, retry }, bucket, key) {
  const prefix = [...key].slice(0, -1).join('');
  if (prefix === '') {
    return false;
  }
  const { uploads } = await retry(() => admin.listUploadsPage(bucket, prefix, { key: '' }));
  return uploads.some((upload) => upload.key !== prefix && upload.key.startsWith(prefix));
}

/**
 * @param {BucketAccess} access
 * @param {string} bucket
 * @param {string} prefix
 * @returns {AsyncGenerator<{ uploads: readonly ListedUpload[], isLast: boolean }>} nothing of a store that has no such list
 */
async function* pagesOf({ admin, retry }, bucket, prefix) {
  /** @type {UploadPosition | null} */
  let position = { key: '' };
  while (position !== null) {
    /** @type {UploadPosition} */
    const from = position;
    let page;
    try {
      page = await retry(() => admin.listUploadsPage(bucket, prefix, from));
    } catch (error) {
      if (error instanceof AttemptError && (error.status === NOT_IMPLEMENTED || error.code === 'NotImplemented')) {
        return;
      }
      throw error;
    }
    position = page.next;
    yield { uploads: page.uploads, isLast: position === null };
  }
}
