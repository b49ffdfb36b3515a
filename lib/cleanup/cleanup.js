import { AttemptError } from '../s3/s3-error.js';
import { BucketList } from '../workload/bucket-list.js';
import { inParallel } from './in-parallel.js';
import { listPage, rangesAfter, walkRange } from './key-ranges.js';
import { removeVersions, walkVersions } from './object-versions.js';
import { abortUploads, ownUploads } from './uploads.js';

/**
 * @import { CleanupResult } from '../model/result.js'
 * @import { BucketAdmin, ListedObject } from '../s3/bucket-admin.js'
 * @import { KeyRange } from './key-ranges.js'
 * @import { Keyspace, OwnKey } from '../workload/keyspace.js'
 * @import { UnlistedObjects } from '../workload/unlisted-objects.js'
 */

/** S3's limit on keys per batch. */
const MAX_BATCH_SIZE = 1000;

/** Maximum number of rounds of deletion: a store may confirm a deletion without performing it. */
const MAX_REMOVALS = 2;

/** Maximum number of keys that are remembered, so that an object in several lists counts once. */
const MAX_REMEMBERED = 100_000;

/** A request that got no response may still take effect for this long. */
const LATE_WRITES_MS = 2000;

/** Maximum number of problems kept as text. Further problems are only counted. */
const MAX_PROBLEMS = 100;

/** Errors that mean uploads cannot be listed. They do not affect anything else. */
const UNLISTABLE = ['denied', 'protocol'];

/** Maximum number of unlisted objects that are looked up one by one. */
const MAX_HEAD_REQUESTS = 1000;

/**
 * @typedef {object} CleanupOptions
 * @property {BucketAdmin} admin
 * @property {Keyspace} keyspace
 * @property {(own: OwnKey) => boolean} owns whether to remove an object of the run
 * @property {UnlistedObjects | null} unlisted objects that Write created and no list has shown; null if unknown
 * @property {<Result>(request: () => Promise<Result>) => Promise<Result>} retry
 * @property {boolean} outcomeUnknown whether a write may still be in progress, so that the store must be listed again
 * @property {((own: OwnKey) => boolean) | null} [ownsUpload] whether to abort an upload; if absent, all are ignored
 * @property {boolean} [areUploadsAll] whether only uploads can exist, and no objects
 * @property {ReadonlySet<string>} versioned buckets that keep versions: deleting a key would only add a delete marker
 * @property {() => number} random uniform in [0, 1)
 * @property {(milliseconds: number) => Promise<void>} wait
 */

/** @returns {CleanupResult} of a clean-up that has not started */
export function newResult() {
  return {
    removed: 0,
    versions: 0,
    left: -1,
    misplaced: 0,
    foreign: 0,
    unlisted: 0,
    otherBuckets: null,
    problems: [],
    furtherProblems: 0,
  };
}

/**
 * Removes what a run wrote. Lists the run's prefix and deletes only keys that the run itself would give an object,
 * until a list shows none.
 *
 * @param {CleanupOptions} options
 * @param {CleanupResult} [result] updated along the way
 */
export async function cleanUp(options, result = newResult()) {
  const buckets = new BucketList(options.keyspace);
  if (options.ownsUpload) {
    Object.assign(result, { uploads: 0, uploadsLeft: -1 });
  }
  try {
    const seen = new SeenObjects();
    let shown = await removeShown(options, { buckets, seen, result });
    if (options.outcomeUnknown) {
      await options.wait(LATE_WRITES_MS);
      shown = await removeShown(options, { buckets, seen, result });
    }
    const remaining = await removeUnlisted(options, result);
    const { objects, versions, misplaced, foreign, uploads, uploadsMisplaced } = shown;
    Object.assign(result, { left: objects + versions + misplaced + remaining, misplaced, foreign });
    if (options.ownsUpload) {
      result.uploadsLeft = uploads === null ? -1 : uploads + uploadsMisplaced;
      Object.assign(result, uploadsMisplaced > 0 ? { uploadsMisplaced } : {});
    }
  } catch (error) {
    if (!(error instanceof AttemptError)) {
      throw error;
    }
    addFirst(result, error.message);
  }
  result.otherBuckets = buckets.other();
  return result;
}

/** Counts the objects of a run that any list has shown. */
class SeenObjects {
  /** @type {Set<string>} */
  #keys = new Set();
  count = 0;

  /**
   * @param {readonly string[]} keys
   * @param {boolean} isFirstLook
   */
  add(keys, isFirstLook) {
    for (const key of keys) {
      const isKnown = this.#keys.has(key);
      const hasRoom = this.#keys.size < MAX_REMEMBERED;
      if (hasRoom) {
        this.#keys.add(key);
      }
      // If there is no room to remember a key, it counts only in the first look: later looks probably show it again.
      this.count += Number(!isKnown && (hasRoom || isFirstLook));
    }
  }
}

/**
 * @typedef {object} Findings what clean-up has found so far
 * @property {BucketList} buckets
 * @property {SeenObjects} seen
 * @property {CleanupResult} result
 *
 * @typedef {object} Shown contents of the store's lists that concern a run
 * @property {number} objects
 * @property {number} versions older versions, and delete markers
 * @property {number} misplaced objects in a bucket other than the one that their keys map to
 * @property {number} foreign objects that the run did not write
 * @property {number | null} uploads null if they cannot be listed
 * @property {number} uploadsMisplaced
 */

/**
 * Removes the run's listed objects until the lists show none of them. An object counts as removed if a list showed it
 * and the last list does not, regardless of the response to its deletion.
 *
 * @param {CleanupOptions} options
 * @param {Findings} findings
 * @returns {Promise<Shown>} remaining objects
 */
async function removeShown(options, findings) {
  const { seen, result } = findings;
  const { versions, uploads = 0 } = result;
  const first = await look(options, findings, { isFirst: true, removes: true });
  let last = first;
  for (let removals = 1; removals <= MAX_REMOVALS && isRemovable(last); removals++) {
    last = await look(options, findings, { isFirst: false, removes: removals < MAX_REMOVALS });
  }
  result.removed = seen.count - last.objects;
  result.versions = versions + Math.max(first.versions - last.versions, 0);
  if (options.ownsUpload && first.uploads !== null && last.uploads !== null) {
    result.uploads = uploads + Math.max(first.uploads - last.uploads, 0);
  }
  return last;
}

/** @param {Shown} shown */
function isRemovable({ objects, versions, uploads }) {
  return objects + versions + (uploads ?? 0) > 0;
}

/**
 * Walks the store's lists once.
 *
 * @param {CleanupOptions} options
 * @param {Findings} findings
 * @param {object} choice
 * @param {boolean} choice.isFirst whether this is the first look of a removeShown() call
 * @param {boolean} choice.removes whether to remove the listed objects
 */
async function look(options, findings, { isFirst, removes }) {
  const { unlisted, versioned } = options;
  const { buckets, seen, result } = findings;
  if (removes) {
    // A refused deletion is repeated, and reported only if it is refused again.
    Object.assign(result, { problems: [], furtherProblems: 0 });
  }
  /** @type {Shown} */
  const shown = { objects: 0, versions: 0, misplaced: 0, foreign: 0, uploads: 0, uploadsMisplaced: 0 };
  if (options.ownsUpload) {
    // List uploads first: an upload that completes in the meantime is then listed as an object.
    Object.assign(shown, await findUploads(options, findings, removes));
  }
  if (options.areUploadsAll) {
    return shown;
  }
  await walk(options, async (bucket, { own, misplaced, foreign }) => {
    [...own, ...misplaced].forEach(({ index }) => buckets.see(index, bucket));
    own.forEach(({ isProbe, isCopy, index }) => isProbe || isCopy || unlisted?.listed(index));
    shown.misplaced += misplaced.length;
    shown.foreign += foreign;
    // In a versioned bucket, objects are counted together with their versions.
    if (!versioned.has(bucket)) {
      const keys = own.map(({ key }) => key);
      shown.objects += keys.length;
      seen.add(keys, isFirst);
      await removeKeys(options, bucket, removes ? keys : [], result, (removed) => (result.removed += removed));
    }
  });
  await walkVersions(options, async (bucket, own) => {
    const objects = own.filter(({ isObject }) => isObject).map(({ key }) => key);
    shown.objects += objects.length;
    shown.versions += own.length - objects.length;
    seen.add(objects, isFirst);
    await removeVersions(options, bucket, removes ? own : [], (batch) => {
      result.removed += batch.objects;
      result.versions += batch.versions;
      addProblems(result, batch.refused);
    });
  });
  return shown;
}

/**
 * Tolerates errors: credentials that can remove objects may lack the permission to list uploads, and a store without
 * uploads may respond with any error.
 *
 * @param {CleanupOptions} options
 * @param {Findings} findings
 * @param {boolean} removes whether to abort the listed uploads
 * @returns {Promise<Pick<Shown, 'uploads' | 'uploadsMisplaced'>>}
 */
async function findUploads({ ownsUpload, ...options }, { buckets, result }, removes) {
  try {
    const own = await ownUploads({ ...options, owns: ownsUpload ?? (() => false) });
    if (own === null && options.outcomeUnknown) {
      throw new AttemptError({
        kind: 'protocol',
        handling: 'fail',
        message: 'the store cannot list uploads, and some may be left because the response to a write was lost',
      });
    }
    const [inPlace, misplaced] = [true, false].map((wanted) =>
      (own ?? []).filter(({ isInPlace }) => isInPlace === wanted),
    );
    misplaced.forEach(({ index, bucket }) => buckets.see(index, bucket));
    await abortUploads(options, removes ? inPlace : [], () => {
      result.uploads = (result.uploads ?? 0) + 1;
    });
    return { uploads: inPlace.length, uploadsMisplaced: misplaced.length };
  } catch (error) {
    if (!(error instanceof AttemptError && UNLISTABLE.includes(error.kind))) {
      throw error;
    }
    addProblems(result, removes ? [`the run's uploads could not be listed and aborted: ${error.message}`] : []);
    return { uploads: null, uploadsMisplaced: 0 };
  }
}

/**
 * Looks up the objects that Write created but no list has shown, because lists can be incomplete. Removes those that
 * still exist.
 *
 * @param {CleanupOptions} options
 * @param {CleanupResult} result
 * @returns {Promise<number>} number of objects that still exist
 */
async function removeUnlisted(options, result) {
  const { unlisted, random, keyspace } = options;
  if (unlisted === null || unlisted.count === 0) {
    return 0;
  }
  const asked = unlisted.sample(MAX_HEAD_REQUESTS, random);
  const found = await stillExisting(asked, options);
  result.unlisted = found.length;
  if (found.length === 0) {
    return 0;
  }
  // If only a sample was looked up, delete all objects: more may exist, and deleting an absent one does no harm.
  const removable = asked.length === unlisted.count ? found : unlisted.indices();
  for (const [bucket, keys] of batchesOf(removable, keyspace)) {
    await removeKeys(options, bucket, keys, result, () => {});
  }
  const remaining = await stillExisting(found, options);
  result.removed += found.length - remaining.length;
  addFirst(result, unlistedProblem(found.length, asked.length, unlisted.count));
  return remaining.length;
}

/**
 * @param {number} found
 * @param {number} asked
 * @param {number} count of objects that no list showed
 */
function unlistedProblem(found, asked, count) {
  const which = asked === count ? `${asked}` : `a sample of ${asked} out of ${count}`;
  return `the store's lists are incomplete: of ${which} written objects that no list shows, ${found} were found by key; ${asked === count ? 'they' : `all ${count}`} were deleted by key, but other unlisted objects may remain`;
}

/**
 * @param {Iterable<number>} indices
 * @param {Keyspace} keyspace
 * @returns {Generator<[bucket: string, keys: string[]]>}
 */
function* batchesOf(indices, keyspace) {
  /** @type {Map<string, string[]>} */
  const batches = new Map();
  for (const index of indices) {
    const bucket = keyspace.bucketOf(index);
    const batch = batches.get(bucket) ?? [];
    batch.push(keyspace.keyOf(index));
    batches.set(bucket, batch);
    if (batch.length === MAX_BATCH_SIZE) {
      batches.delete(bucket);
      yield [bucket, batch];
    }
  }
  yield* batches;
}

/**
 * @param {readonly number[]} indices
 * @param {CleanupOptions} options
 */
async function stillExisting(indices, { admin, retry, keyspace }) {
  /** @type {number[]} */
  const existing = [];
  await inParallel(indices, async (index) => {
    if (await retry(() => admin.has(keyspace.bucketOf(index), keyspace.keyOf(index)))) {
      existing.push(index);
    }
  });
  return existing;
}

/**
 * @param {CleanupOptions} options
 * @param {string} bucket
 * @param {readonly string[]} keys
 * @param {CleanupResult} result to which refusals are added
 * @param {(removed: number) => void} onBatch
 */
async function removeKeys({ admin, retry }, bucket, keys, result, onBatch) {
  for (let start = 0; start < keys.length; start += MAX_BATCH_SIZE) {
    const batch = keys.slice(start, start + MAX_BATCH_SIZE);
    const refused = await retry(() => admin.deleteBatch(bucket, batch));
    addProblems(result, refused);
    // A faulty store may refuse more keys than it was sent.
    onBatch(Math.max(batch.length - refused.length, 0));
  }
}

/**
 * @param {CleanupResult} result
 * @param {readonly string[]} problems
 */
function addProblems(result, problems) {
  const room = MAX_PROBLEMS - result.problems.length;
  result.problems = [...result.problems, ...problems.slice(0, room)];
  result.furtherProblems += Math.max(problems.length - room, 0);
}

/**
 * Puts a problem of the whole clean-up before the problems of single objects.
 *
 * @param {CleanupResult} result
 * @param {string} problem
 */
function addFirst(result, problem) {
  const others = result.problems;
  result.problems = [problem];
  addProblems(result, others);
}

/**
 * @typedef {OwnKey & { key: string }} NamedObject
 *
 * @typedef {object} SortedPage
 * @property {NamedObject[]} own objects to remove
 * @property {NamedObject[]} misplaced objects of the run in a bucket other than the one that their keys map to
 * @property {number} foreign number of objects that the run did not write
 */

/**
 * Walks all keys under the run's prefix: one page of each bucket, then any further pages as several concurrent ranges.
 *
 * @param {CleanupOptions} options
 * @param {(bucket: string, page: SortedPage) => Promise<void>} visit
 */
async function walk(options, visit) {
  const { buckets, keyPrefix } = options.keyspace;
  const visitPage = async (/** @type {string} */ bucket, /** @type {ListedObject[]} */ objects) => {
    const page = sortPage(bucket, objects, options);
    await visit(bucket, page);
    return page.foreign < objects.length;
  };
  /** @type {KeyRange[]} */
  const ranges = [];
  await inParallel(buckets, async (bucket) => {
    const { objects, isLast } = await listPage(options, bucket, keyPrefix, '');
    await visitPage(bucket, objects);
    if (!isLast) {
      ranges.push(...rangesAfter(bucket, keyPrefix, objects[objects.length - 1].key));
    }
  });
  await inParallel(ranges, (range) => walkRange(range, options, visitPage));
}

/**
 * @param {string} bucket
 * @param {readonly ListedObject[]} objects
 * @param {CleanupOptions} options
 */
function sortPage(bucket, objects, { keyspace, owns }) {
  /** @type {SortedPage} */
  const page = { own: [], misplaced: [], foreign: 0 };
  for (const { key } of objects) {
    const name = keyspace.recogniseName(key);
    if (name === null) {
      page.foreign += 1;
      continue;
    }
    if (owns(name)) {
      const isInPlace = keyspace.bucketOf(name.index) === bucket;
      (isInPlace ? page.own : page.misplaced).push({ key, ...name });
    }
  }
  return page;
}
