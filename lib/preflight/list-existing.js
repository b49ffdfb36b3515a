import { withBucketAccess } from '../cleanup/bucket-access.js';
import { inParallel } from '../cleanup/in-parallel.js';
import { ListProgress } from '../cleanup/key-ranges.js';
import { counted } from '../text/figures.js';
import { quote } from '../text/quote.js';
import { etagDigest } from '../s3/object-connection.js';
import { explainError, isTransient } from '../s3/explain-error.js';
import { LIST_START } from '../s3/bucket-admin.js';
import { AttemptError } from '../s3/s3-error.js';
import { BucketListing, ListedObjects, MAX_LIST_BYTES, shardOf } from '../workload/listed-objects.js';

/**
 * @import { BucketAccess } from '../cleanup/bucket-access.js'
 * @import { ListPosition, ListedObject } from '../s3/bucket-admin.js'
 * @import { Config } from '../model/config.js'
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
  const { store, load } = config;
  const list = new List(config, existing);
  let reportedAt = clock.now();
  const report = () => {
    if (clock.now() - reportedAt >= PROGRESS_INTERVAL_MS) {
      reportedAt = clock.now();
      notice(`Listing ${list.describe()}: ${counted(list.seen, 'object')} so far`);
    }
  };
  const access = { storeOptions, clock, random, timeout: load.timeout, requests, signal, onCheck: report };
  try {
    await withBucketAccess({ ...access, countAs: 'preflight' }, (bucketAccess) => list.fill(bucketAccess));
  } catch (error) {
    if (!(error instanceof AttemptError)) {
      throw error;
    }
    const place = { store, buckets: [list.lastBucket], action: 'list', now: clock.epochNow() };
    const problems = signal.aborted ? [] : [explainError(error, place)];
    return { listed: null, problems, isTransient: isTransient(error), notices: [] };
  }
  return list.outcome();
}

const ENCODED_NOTICE =
  'Listed keys with codes such as %20: if the stages find no objects, the store encodes names in its lists without saying so';

/** The keys listed so far, across all buckets. */
class List {
  #config;
  #existing;
  #listings;
  /** For each bucket, the start of the next page; null if its list is complete. */
  #positions;
  #progress;
  #unreadable = 0;
  /** Whether a key may be an encoded name. */
  #hasCodes = false;
  #isTooLarge = false;
  /** Number of listed objects, including those of other shards. */
  seen = 0;
  lastBucket;

  /**
   * @param {Config} config
   * @param {string} existing prefix of all keys
   */
  constructor(config, existing) {
    const { buckets } = config.store;
    this.#config = config;
    this.#existing = existing;
    this.#listings = buckets.map(() => new BucketListing());
    this.#positions = buckets.map(() => /** @type {ListPosition | null} */ (LIST_START));
    this.#progress = buckets.map((bucket) => new ListProgress(bucket));
    this.lastBucket = buckets[0];
  }

  /** If a bucket has fewer objects than its share, the other buckets make up for it. @param {BucketAccess} access */
  async fill(access) {
    for (let short = this.#short(); short.length > 0 && !this.#isTooLarge; short = this.#short()) {
      await inParallel(short, (slot) => this.#listPage(slot, access));
      this.#isTooLarge = this.#listings.reduce((sum, { bytes }) => sum + bytes, 0) > MAX_LIST_BYTES;
    }
  }

  describe() {
    return `${this.#existing === '' ? 'everything' : quote(this.#existing)} in ${this.#config.store.buckets.join(', ')}`;
  }

  /** @returns {ExistingList} */
  outcome() {
    const { store, objects } = this.#config;
    const { buckets } = store;
    const { shard } = objects;
    if (this.#isTooLarge) {
      const listed = this.#listings.reduce((sum, { count }) => sum + count, 0);
      return refused(
        `--existing: the list of ${counted(listed, 'object')} takes more than ${MAX_LIST_BYTES / 2 ** 20} MiB of memory: expected fewer <objects>, or a longer prefix`,
      );
    }
    const options = {
      prefix: this.#existing,
      buckets,
      shards: shard.count,
      limit: objects.count,
      listings: this.#listings,
    };
    const listed = ListedObjects.of(options);
    if (listed.count === 0) {
      const where = `${this.describe()}${shard.count > 1 && this.seen > 0 ? ` for shard ${shard.index}/${shard.count}` : ''}`;
      return refused(`--existing: listing ${where} found no objects, expected a prefix of existing keys`);
    }
    return { listed, problems: [], isTransient: false, notices: this.#noticesOf(listed) };
  }

  /** @param {ListedObjects} listed */
  #noticesOf({ count }) {
    const { objects } = this.#config;
    return [
      `Listed ${this.describe()}: ${counted(count, 'object')}${count < objects.count ? ', and there are no more' : ''}`,
      ...(this.#unreadable > 0
        ? [
            `${counted(this.#unreadable, 'object')} left out, because the list does not show their keys or sizes in S3's format`,
          ]
        : []),
      ...(this.#hasCodes ? [ENCODED_NOTICE] : []),
    ];
  }

  /** @returns {number[]} slots of the buckets that need further pages */
  #short() {
    const open = this.#listings.flatMap((_, slot) => (this.#positions[slot] === null ? [] : [slot]));
    const known = this.#listings.reduce((sum, { count }, slot) => sum + (open.includes(slot) ? 0 : count), 0);
    const part = Math.ceil((this.#config.objects.count - known) / open.length);
    return open.filter((slot) => this.#listings[slot].count < part);
  }

  /**
   * @param {number} slot
   * @param {BucketAccess} access
   */
  async #listPage(slot, { admin, retry }) {
    const {
      store,
      objects: { shard },
    } = this.#config;
    const bucket = store.buckets[slot];
    this.lastBucket = bucket;
    const from = this.#positions[slot] ?? LIST_START;
    const page = await retry(() => admin.listForeignPage(bucket, this.#existing, from));
    const { objects, next, unreadable, isDecoded } = page;
    this.#positions[slot] = next;
    this.#unreadable += unreadable;
    this.#hasCodes ||= !isDecoded && objects.some(({ key }) => /%[0-9A-F]{2}/i.test(key));
    this.seen += objects.length;
    const ofShard = objects.filter(({ key }) => shardOf(bucket, key, shard.count) === shard.index);
    ofShard.forEach((object) => this.#listings[slot].add(packed(object)));
    if (next !== null) {
      await this.#progress[slot].page(ofShard.length > 0);
    }
  }
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
