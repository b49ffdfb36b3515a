import { asAttemptError } from '../s3/s3-error.js';
import { globalIndex, isOfShard, localIndex } from '../workload/shard.js';
import { inParallel } from '../cleanup/in-parallel.js';
import { pagesOf } from '../cleanup/key-ranges.js';
import { objectSizes } from '../workload/size-distribution.js';

/**
 * @import { ListedObject } from '../s3/bucket-admin.js'
 * @import { AttemptError } from '../s3/s3-error.js'
 * @import { Keyspace } from '../workload/keyspace.js'
 * @import { ObjectsConfig, SizeDistribution } from '../model/config.js'
 * @import { BucketAccess } from '../cleanup/bucket-access.js'
 */

/**
 * Pages to list in all buckets together, but at least one in each: enough to find the objects of a kept run, and few
 * enough to be quick.
 */
const MAX_PAGES = 10;

/**
 * @typedef {object} ExistingObjects objects of a shard that exist before its run starts
 * @property {number} count of objects and probes found
 * @property {boolean} isWhole whether all pages were read; otherwise there may be more
 * @property {{ count: number, size: number, sizes?: SizeDistribution } | null} readable settings for a run that reads
 *   the objects: how many of the shard's first objects to read, and their common size or size distribution; null if
 *   there are only probes, if objects are missing, or if their sizes do not match the run's
 * @property {Map<string, AttemptError>} unlisted buckets that could not be listed, with their errors
 */

/**
 * Looks for objects that a run would overwrite or remove: those of its shard, under its run ID. Objects of other shards
 * are ignored, because those shards may be writing right now.
 *
 * @param {Keyspace} keyspace
 * @param {Pick<ObjectsConfig, 'runId' | 'shard' | 'size' | 'sizes'>} objects of the run
 * @param {BucketAccess} access
 * @returns {Promise<ExistingObjects>}
 */
export async function findExistingObjects(keyspace, objects, access) {
  const { shard } = objects;
  const { buckets } = keyspace;
  const maxPages = Math.max(Math.floor(MAX_PAGES / buckets.length), 1);
  let count = 0;
  let isWhole = true;
  /** @type {Map<number, number>} */
  const sizes = new Map();
  /** @type {Map<string, AttemptError>} */
  const unlisted = new Map();
  const add = (/** @type {string} */ bucket, /** @type {ListedObject} */ { key, size }) => {
    const own = keyspace.recognise(bucket, key);
    if (own !== null && isOfShard(shard, own.index)) {
      count += 1;
      if (!own.isProbe && !own.isCopy && Number.isSafeInteger(size)) {
        sizes.set(localIndex(shard, own.index), size);
      }
    }
  };
  await inParallel(buckets, async (bucket) => {
    try {
      const isAll = await walkPages({ bucket, prefix: keyspace.keyPrefix, maxPages }, access, (object) =>
        add(bucket, object),
      );
      isWhole &&= isAll;
    } catch (error) {
      unlisted.set(bucket, asAttemptError(error));
    }
  });
  return { count, isWhole, readable: readableOf(sizes, objects, isWhole && unlisted.size === 0), unlisted };
}

/**
 * @param {{ bucket: string, prefix: string, maxPages: number }} range
 * @param {BucketAccess} access
 * @param {(object: ListedObject) => void} visit
 * @returns {Promise<boolean>} whether all pages were read
 */
async function walkPages({ bucket, prefix, maxPages }, { admin, retry }, visit) {
  let pages = 0;
  for await (const { objects, next } of pagesOf((from) => retry(() => admin.listPage(bucket, prefix, from)))) {
    objects.forEach(visit);
    pages += 1;
    if (next !== null && pages === maxPages) {
      return false;
    }
  }
  return true;
}

/**
 * Allows for objects left by a capacity search, which writes smaller objects after the full-size ones.
 *
 * @param {ReadonlyMap<number, number>} sizes by local index
 * @param {Pick<ObjectsConfig, 'runId' | 'shard' | 'size' | 'sizes'>} objects of the run
 * @param {boolean} areAll whether `sizes` has all existing objects
 * @returns {ExistingObjects['readable']}
 */
function readableOf(sizes, objects, areAll) {
  if (sizes.size === 0) {
    return null;
  }
  const indices = [...sizes.keys()];
  const size = /** @type {number} */ (sizes.get(indices.reduce((least, index) => Math.min(least, index))));
  const sizeOf = objects.sizes === undefined ? () => size : objectSizes(objects);
  const same = indices.filter((index) => sizes.get(index) === sizeOf(globalIndex(objects.shard, index)));
  const count = same.reduce((most, index) => Math.max(most, index), -1) + 1;
  // If most objects have unexpected sizes, they were not left by a search.
  if (2 * same.length < sizes.size || (areAll && same.length < count)) {
    return null;
  }
  return objects.sizes === undefined ? { count, size } : { count, size: objects.size, sizes: objects.sizes };
}
