import { AttemptError } from '../s3/s3-error.js';
import { globalIndex, isOfShard, localIndex } from '../workload/shard.js';
import { inParallel } from '../cleanup/in-parallel.js';
import { objectSizes } from '../workload/sizes.js';

/**
 * @import { ListedObject } from '../s3/bucket-admin.js'
 * @import { Keyspace } from '../workload/keyspace.js'
 * @import { ObjectsConfig, SizeDistribution } from '../model/config.js'
 * @import { BucketAccess } from '../cleanup/bucket-access.js'
 */

/** Enough to find what a kept run has left, and soon read. */
const MAX_PAGES = 10;

const BUCKETS_AT_ONCE = 8;

/**
 * Objects of a shard that are there before its run.
 *
 * @typedef {object} ExistingObjects
 * @property {number} count of objects and probes that were seen
 * @property {boolean} isWhole whether all pages were read; otherwise there may be more
 * @property {{ count: number, size: number, sizes?: SizeDistribution } | null} readable what a run that reads them is to be
 *   given: so many of the shard's first objects, of so many bytes each, or of these sizes; null where there are only probes,
 *   some of those objects are missing, or their sizes are not those of the run
 * @property {Map<string, AttemptError>} unlisted buckets that could not be listed, and their errors
 */

/**
 * Looks for objects that a run would write over or remove: those of its shard, under its run id. Other shards may
 * be writing theirs at this moment: they do not matter here.
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
  await inParallel(buckets, BUCKETS_AT_ONCE, async (bucket) => {
    try {
      const isAll = await walkPages({ bucket, prefix: keyspace.keyPrefix, maxPages }, access, (object) =>
        add(bucket, object),
      );
      isWhole &&= isAll;
    } catch (error) {
      if (!(error instanceof AttemptError)) {
        throw error;
      }
      unlisted.set(bucket, error);
    }
  });
  return { count, isWhole, readable: readableOf(sizes, objects, isWhole && unlisted.size === 0), unlisted };
}

/**
 * @param {{ bucket: string, prefix: string, maxPages: number }} range
 * @param {BucketAccess} access
 * @param {(object: ListedObject) => void} visit
 * @returns {Promise<boolean>} whether that was all
 */
async function walkPages({ bucket, prefix, maxPages }, { admin, retry }, visit) {
  let position = '';
  for (let page = 0; page < maxPages; page++) {
    const after = position;
    const { objects, isLast } = await retry(() => admin.listPage(bucket, prefix, after));
    objects.forEach(visit);
    if (isLast) {
      return true;
    }
    if (objects.length === 0) {
      return false;
    }
    position = objects[objects.length - 1].key;
  }
  return false;
}

/**
 * A search for the peak leaves smaller objects after those of full size; one over buckets leaves gaps between them.
 *
 * @param {ReadonlyMap<number, number>} sizes by local index
 * @param {Pick<ObjectsConfig, 'runId' | 'shard' | 'size' | 'sizes'>} objects of the run
 * @param {boolean} areAll whether each object that is there is among them
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
  // Where most are of other sizes, it was not a search that left them.
  if (2 * same.length < sizes.size || (areAll && same.length < count)) {
    return null;
  }
  return objects.sizes === undefined ? { count, size } : { count, size: objects.size, sizes: objects.sizes };
}
