import { inParallel } from './in-parallel.js';
import { ListProgress } from './key-ranges.js';

/** S3's limit on versions per batch. */
const MAX_BATCH = 1000;

/**
 * @import { ListedVersion, VersionPosition } from '../s3/bucket-admin.js'
 * @import { BucketAccess } from './bucket-access.js'
 * @import { WalkOptions } from './cleanup.js'
 *
 * @typedef {object} RemovedVersions
 * @property {number} objects latest versions, other than delete markers
 * @property {number} versions older versions, and delete markers
 * @property {string[]} refused the store's message for each version that it did not delete
 */

/**
 * @param {BucketAccess} access
 * @param {string} bucket
 * @param {readonly ListedVersion[]} own versions and delete markers
 * @param {(batch: RemovedVersions) => void} onBatch
 */
export async function removeVersions({ admin, retry }, bucket, own, onBatch) {
  for (const isObject of [true, false]) {
    const versions = own.filter((version) => version.isObject === isObject);
    for (let start = 0; start < versions.length; start += MAX_BATCH) {
      const batch = versions.slice(start, start + MAX_BATCH);
      const refused = await retry(() => admin.deleteVersions(bucket, batch));
      const removed = Math.max(batch.length - refused.length, 0);
      onBatch({ objects: isObject ? removed : 0, versions: isObject ? 0 : removed, refused });
    }
  }
}

/**
 * @param {WalkOptions & { versioned: ReadonlySet<string> }} options
 * @param {(bucket: string, own: ListedVersion[]) => Promise<void>} visit gets a page of the run's versions
 */
export async function walkVersions({ admin, retry, keyspace, owns, versioned }, visit) {
  const buckets = keyspace.buckets.filter((bucket) => versioned.has(bucket));
  await inParallel(buckets, async (bucket) => {
    const progress = new ListProgress(bucket);
    /** @type {VersionPosition | null} */
    let position = { key: '' };
    while (position !== null) {
      /** @type {VersionPosition} */
      const from = position;
      const { versions, next } = await retry(() => admin.listVersionsPage(bucket, keyspace.keyPrefix, from));
      const named = versions.flatMap((version) => {
        const name = keyspace.recognise(bucket, version.key);
        // Another version of the previous page's last key is not an object: it became the latest version only because
        // the object was removed.
        const isObject = version.isObject && version.key !== from.key;
        return name === null ? [] : [{ version: { ...version, isObject }, name }];
      });
      await visit(
        bucket,
        named.filter(({ name }) => owns(name)).map(({ version }) => version),
      );
      if (next !== null) {
        // A key can have any number of versions, so only a later key counts as progress.
        await progress.page(named.length > 0 && next.key > from.key);
      }
      position = next;
    }
  });
}
