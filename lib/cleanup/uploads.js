import { AttemptError, NO_UPLOAD, protocolError } from '../s3/s3-error.js';
import { inParallel } from './in-parallel.js';
import { ListProgress, pagesOf } from './key-ranges.js';

/**
 * @import { ListedUpload } from '../s3/bucket-admin.js'
 * @import { OwnKey } from '../workload/keyspace.js'
 * @import { BucketAccess } from './bucket-access.js'
 * @import { WalkOptions } from './cleanup.js'
 */

/** Clean-up gives up on a bucket with more than this many pages of uploads. */
const MAX_PAGES_OF_ALL = 100;

/** Status code of a store that cannot list uploads. */
const NOT_IMPLEMENTED = 501;

/** @typedef {OwnKey & { bucket: string, key: string, uploadId: string }} OwnUpload an upload that a run began */

/**
 * Lists the run's multipart uploads: only those with a key that the run itself would give an object, in any bucket.
 *
 * @param {WalkOptions} options
 * @returns {Promise<OwnUpload[] | null>} null if the store cannot list uploads
 */
export async function ownUploads({ admin, retry, keyspace, owns }) {
  /** @type {OwnUpload[]} */
  const found = [];
  let isListed = true;
  await inParallel(keyspace.buckets, async (bucket) => {
    const isListing = await walkUploads({ admin, retry }, bucket, keyspace.keyPrefix, (uploads) => {
      const named = uploads.flatMap(({ key, uploadId }) => {
        const own = keyspace.recogniseName(key);
        return own === null ? [] : [{ ...own, bucket, key, uploadId }];
      });
      found.push(...named.filter(owns));
      return named.length > 0;
    });
    isListed &&= isListing;
  });
  return isListed ? found : null;
}

/**
 * Walks the uploads of a bucket under a prefix, page by page. MinIO can list all uploads, or those of one key, but not
 * those under a prefix. So if the list under the prefix is empty, this walks all uploads.
 *
 * @param {BucketAccess} access
 * @param {string} bucket
 * @param {string} prefix
 * @param {(uploads: readonly ListedUpload[]) => boolean} visit gets a page's uploads under the prefix; returns whether
 *   any of them is relevant
 * @returns {Promise<boolean>} false if the store cannot list uploads
 * @throws {AttemptError} also if there are too many foreign uploads to check
 */
export async function walkUploads(access, bucket, prefix, visit) {
  try {
    if (!(await visitByPrefix(access, bucket, prefix, visit))) {
      await visitAmongAll(access, bucket, prefix, visit);
    }
    return true;
  } catch (error) {
    if (error instanceof AttemptError && error.kind === NO_UPLOAD) {
      // Some stores answer so until the bucket has had an upload.
      return true;
    }
    if (error instanceof AttemptError && (error.status === NOT_IMPLEMENTED || error.code === 'NotImplemented')) {
      return false;
    }
    throw error;
  }
}

/**
 * @param {BucketAccess} access
 * @param {string} bucket
 * @param {string} prefix
 * @param {Parameters<typeof walkUploads>[3]} visit
 * @returns {Promise<boolean>} whether the list under the prefix contains any upload
 */
async function visitByPrefix({ admin, retry }, bucket, prefix, visit) {
  const progress = new ListProgress(bucket);
  let isShown = false;
  let latest = '';
  for await (const { uploads, next } of pagesOf((from) => retry(() => admin.listUploadsPage(bucket, prefix, from)))) {
    isShown ||= uploads.length > 0;
    const isFruitful = visit(uploads.filter(({ key }) => key.startsWith(prefix)));
    if (next !== null) {
      // A key can have any number of uploads, so only a later key counts as progress.
      await progress.page(isFruitful && next.after > latest);
      latest = next.after;
    }
  }
  return isShown;
}

/**
 * @param {BucketAccess} access
 * @param {string} bucket
 * @param {string} prefix
 * @param {Parameters<typeof walkUploads>[3]} visit
 */
async function visitAmongAll({ admin, retry }, bucket, prefix, visit) {
  let pages = 0;
  for await (const { uploads, next } of pagesOf((from) => retry(() => admin.listUploadsPage(bucket, '', from)))) {
    visit(uploads.filter(({ key }) => key.startsWith(prefix)));
    pages += 1;
    if (next !== null && pages === MAX_PAGES_OF_ALL) {
      throw protocolError(`bucket ${bucket} has too many other uploads to check all of them`);
    }
  }
}
