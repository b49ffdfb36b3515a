import { inParallel, withBucketAccess } from '../cleanup/bucket-access.js';
import { pagesOf } from '../cleanup/lists.js';
import { counted } from '../../text/figures.js';
import { quote } from '../../text/quote.js';
import { etagDigest } from '../../store/object-connection.js';
import { explainError, isTransient } from '../../store/explain-error.js';
import { AttemptError } from '../../store/s3-error.js';
import { BucketListing, ListedObjects, MAX_LIST_BYTES, shardOf } from '../../load/workload/listed-objects.js';

/**
 * @import { BucketAccess } from '../cleanup/bucket-access.js'
 * @import { ListPosition, ListedObject } from '../../store/bucket-admin.js'
 * @import { Config } from '../../result/config.js'
 * @import { RunContext } from './run-context.js'
 */

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
