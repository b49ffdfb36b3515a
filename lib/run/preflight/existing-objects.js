import { BucketListing, ListedObjects, MAX_LIST_BYTES, shardOf } from '../../load/workload/listed-objects.js';
import { globalIndex, isOfShard, localIndex } from '../../load/workload/shard.js';
import { objectSizes } from '../../load/workload/size-distribution.js';
import { explainError, isTransient } from '../../store/explain-error.js';
import { etagDigest } from '../../store/object-connection.js';
import { AttemptError, asAttemptError } from '../../store/s3-error.js';
import { counted } from '../../text/figures.js';
import { quote } from '../../text/quote.js';
import { inParallel, pagesOf, withBucketAccess } from '../cleanup/bucket-access.js';

/**
 * @import { Keyspace } from '../../load/workload/keyspace.js'
 * @import { Config, ObjectsConfig, SizeDistribution } from '../../result/config.js'
 * @import { ListPosition, ListedObject } from '../../store/bucket-admin.js'
 * @import { BucketAccess } from '../cleanup/bucket-access.js'
 * @import { RunContext } from './run-context.js'
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
  await inParallel(buckets, async (bucket) => {
    const request = (/** @type {ListPosition} */ from) =>
      access.retry(() => access.admin.listPage(bucket, keyspace.keyPrefix, from));
    try {
      let pages = 0;
      for await (const { objects: listed, next } of pagesOf(bucket, request)) {
        for (const { key, size } of listed) {
          const own = keyspace.recognise(bucket, key);
          if (own !== null && isOfShard(shard, own.index)) {
            count += 1;
            if (!own.isProbe && !own.isCopy && Number.isSafeInteger(size)) {
              sizes.set(localIndex(shard, own.index), size);
            }
          }
        }
        pages += 1;
        if (next !== null && pages === maxPages) {
          isWhole = false;
          break;
        }
      }
    } catch (error) {
      unlisted.set(bucket, asAttemptError(error));
    }
  });
  return { count, isWhole, readable: readableOf(sizes, objects, isWhole && unlisted.size === 0), unlisted };
}

/**
 * @param {ReadonlyMap<number, number>} sizes by local index
 * @param {Pick<ObjectsConfig, 'runId' | 'shard' | 'size' | 'sizes'>} objects of the run
 * @param {boolean} areAll whether `sizes` has all existing objects
 * @returns {ExistingObjects['readable']}
 */
function readableOf(sizes, objects, areAll) {
  const indices = [...sizes.keys()].sort((one, other) => one - other);
  const [first] = indices;
  const size = sizes.get(first);
  if (size === undefined) {
    return null;
  }
  const count = indices[indices.length - 1] + 1;
  const sizeOf = objects.sizes === undefined ? () => size : objectSizes(objects);
  const areAlike = indices.every((index) => sizes.get(index) === sizeOf(globalIndex(objects.shard, index)));
  if (!areAlike || (areAll && indices.length < count)) {
    return null;
  }
  return objects.sizes === undefined ? { count, size } : { count, size: objects.size, sizes: objects.sizes };
}

const PROGRESS_INTERVAL_MS = 2000;

/**
 * @typedef {object} ExistingList
 * @property {ListedObjects | null} listed null if there are problems
 * @property {string[]} problems one line each
 * @property {boolean} isTransient whether all problems are transient errors of the store rather than user errors
 * @property {string[]} notices
 */

const ENCODED_NOTICE =
  'Listed keys with codes such as %20: if the stages find no objects, the store encodes names in its lists without saying so';

/** @typedef {{ bucket: string, listing: BucketListing, isComplete: boolean }} Part of the list */

/**
 * Lists the objects under the prefix of `--existing`: the first objects of each bucket, until the run has enough.
 *
 * @param {RunContext} run
 * @param {Config} config
 * @param {string} existing
 * @param {AbortSignal} signal aborts the work
 * @param {(message: string) => void} notice reports progress
 * @returns {Promise<ExistingList>}
 */
export async function listExisting(run, config, existing, signal, notice) {
  const { controlOptions: storeOptions, clock, random, requests } = run;
  const { store, load, objects } = config;
  const { buckets } = store;
  const { shard, count: limit } = objects;
  const where = `${existing === '' ? 'everything' : quote(existing)} in ${buckets.join(', ')}`;
  /** @type {Part[]} */
  const parts = buckets.map((bucket) => ({ bucket, listing: new BucketListing(), isComplete: false }));
  let [lastBucket] = buckets;
  // Including objects of other shards.
  let seen = 0;
  let unreadable = 0;
  let hasCodes = false;
  let reportedAt = clock.now();
  const report = () => {
    if (clock.now() - reportedAt >= PROGRESS_INTERVAL_MS) {
      reportedAt = clock.now();
      notice(`Listing ${where}: ${counted(seen, 'object')} so far`);
    }
  };
  const pagesOfPart = async function* (/** @type {Part} */ part, /** @type {BucketAccess} */ { admin, retry }) {
    let isFruitful = false;
    const request = (/** @type {ListPosition} */ from) => {
      lastBucket = part.bucket;
      return retry(() => admin.listForeignPage(part.bucket, existing, from));
    };
    for await (const page of pagesOf(part.bucket, request, () => isFruitful)) {
      unreadable += page.unreadable;
      hasCodes ||= !page.isDecoded && page.objects.some(({ key }) => /%[0-9A-F]{2}/i.test(key));
      seen += page.objects.length;
      const ofShard = page.objects.filter(({ key }) => shardOf(part.bucket, key, shard.count) === shard.index);
      ofShard.forEach((object) => part.listing.add(packed(object)));
      isFruitful = ofShard.length > 0;
      part.isComplete = page.next === null;
      yield;
    }
  };
  const options = { storeOptions, clock, random, timeout: load.timeout, requests, signal, onCheck: report };
  try {
    await withBucketAccess({ ...options, countAs: 'preflight' }, async (access) => {
      const pages = new Map(parts.map((part) => [part, pagesOfPart(part, access)]));
      for (let short = shortOf(parts, limit); short.length > 0 && sumOf(parts, 'bytes') <= MAX_LIST_BYTES;) {
        await inParallel(short, async (part) => void (await pages.get(part)?.next()));
        short = shortOf(parts, limit);
      }
    });
  } catch (error) {
    if (!(error instanceof AttemptError)) {
      throw error;
    }
    const place = { store, buckets: [lastBucket], action: 'list', now: clock.epochNow() };
    const problems = signal.aborted ? [] : [explainError(error, place)];
    return { listed: null, problems, isTransient: isTransient(error), notices: [] };
  }
  if (sumOf(parts, 'bytes') > MAX_LIST_BYTES) {
    return refused(
      `--existing: the list of ${counted(sumOf(parts, 'count'), 'object')} takes more than ${MAX_LIST_BYTES / 2 ** 20} MiB of memory: expected fewer <objects>, or a longer prefix`,
    );
  }
  const listings = parts.map(({ listing }) => listing);
  const listed = ListedObjects.of({ prefix: existing, buckets, shards: shard.count, limit, listings });
  if (listed.count === 0) {
    const whose = shard.count > 1 && seen > 0 ? ` for shard ${shard.index}/${shard.count}` : '';
    return refused(`--existing: listing ${where}${whose} found no objects, expected a prefix of existing keys`);
  }
  const end = listed.count < limit ? ', and there are no more' : '';
  const notices = [`Listed ${where}: ${counted(listed.count, 'object')}${end}`];
  if (unreadable > 0) {
    notices.push(
      `${counted(unreadable, 'object')} left out, because the list does not show their keys or sizes in S3's format`,
    );
  }
  return { listed, problems: [], isTransient: false, notices: [...notices, ...(hasCodes ? [ENCODED_NOTICE] : [])] };
}

/**
 * If a bucket has fewer objects than its share, the other buckets make up for it.
 *
 * @param {readonly Part[]} parts
 * @param {number} limit of objects
 * @returns those that need further pages
 */
function shortOf(parts, limit) {
  const [complete, open] = [true, false].map((isComplete) => parts.filter((part) => part.isComplete === isComplete));
  const share = Math.ceil((limit - sumOf(complete, 'count')) / open.length);
  return open.filter(({ listing }) => listing.count < share);
}

/**
 * @param {readonly Part[]} parts
 * @param {'count' | 'bytes'} what
 */
function sumOf(parts, what) {
  return parts.reduce((sum, { listing }) => sum + listing[what], 0);
}

/** @param {ListedObject} object */
function packed({ key, size, etag }) {
  return {
    key: Buffer.from(key, 'utf8'),
    size,
    etagDigest: etagDigest(Buffer.from(etag, 'latin1')),
  };
}

/** @param {string} problem */
function refused(problem) {
  return { listed: null, problems: [problem], isTransient: false, notices: [] };
}
