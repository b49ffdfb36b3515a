import { setTimeout as sleep } from 'node:timers/promises';
import { LIST_START } from '../../store/bucket-admin.js';
import { AttemptError, TIMEOUT, asAttemptError, protocolError } from '../../store/s3-error.js';
import { counted } from '../../text/figures.js';
import { ABANDONED } from '../../result/counters.js';
import { BucketList } from '../../load/workload/bucket-list.js';
import { Keyspace } from '../../load/workload/keyspace.js';
import {
  STALLED,
  inParallel,
  rangesAfter,
  walkRange,
  walkUploads,
  walkVersions,
  withBucketAccess,
} from './bucket-access.js';
import { MAX_ASKED, existingOf } from './reconciliation.js';

/**
 * @import { CleanupResult } from '../../result/result.js'
 * @import { BucketAdmin, ListedObject } from '../../store/bucket-admin.js'
 * @import { BucketAccess, KeyRange } from './bucket-access.js'
 * @import { CleanupProgress } from '../../result/run-events.js'
 * @import { OwnKey } from '../../load/workload/keyspace.js'
 * @import { Place, Reconciliation } from './reconciliation.js'
 */

/** S3's limit on keys and versions per batch. */
const MAX_BATCH_SIZE = 1000;

/** Ends clean-up on a store that shows further keys of the run forever. */
const MAX_ROUNDS = 100;

/** Maximum number of keys that are remembered, so that an object in several lists counts once. */
const MAX_REMEMBERED = 100_000;

/** A request that got no response may still take effect for this long. */
const LATE_WRITES_MS = 2000;

/** Maximum number of problems kept as text. Further problems are only counted. */
const MAX_PROBLEMS = 100;

/** Status codes of stores without batch deletion, such as Google's. */
export const NO_BATCHES = new Set([400, 405, 501]);

/**
 * @typedef {object} CleanupOptions
 * @property {BucketAdmin} admin
 * @property {Keyspace} keyspace
 * @property {((own: OwnKey) => boolean) | null} owns whether to remove an object of the run; null if it left none
 * @property {Reconciliation | null} reconciliation of what the run wrote; null if that is unknown
 * @property {<Result>(request: () => Promise<Result>) => Promise<Result>} retry
 * @property {boolean} outcomeUnknown whether a write may still be in progress, so that the store must be listed again
 * @property {((own: OwnKey) => boolean) | null} [ownsUpload] whether to abort an upload; if absent, all are ignored
 * @property {ReadonlySet<string>} versioned buckets that keep versions: deleting a key would only add a delete marker
 * @property {(milliseconds: number) => Promise<void>} wait
 */

/**
 * Shows the run's ledgers what the store's lists show, and settles the rest by key, without removing anything.
 *
 * @param {WalkOptions & { reconciliation: Reconciliation }} options
 * @param {() => Promise<unknown>} settle
 */
export async function lookThrough(options, settle) {
  const { reconciliation } = options;
  reconciliation.startWalk();
  await walk(options, async (_bucket, { own }) => own.forEach((each) => reconciliation.list(each, each.size)));
  await settle();
}

/** @returns {CleanupResult} of a clean-up that has not started */
export function newResult() {
  return { removed: 0, versions: 0, left: -1, foreign: 0, otherBuckets: null, problems: [], furtherProblems: 0 };
}

/**
 * @typedef {Omit<Parameters<typeof withBucketAccess>[0], 'onCheck'>} AccessOptions
 *
 * Lists and removes the objects of a run.
 *
 * @param {AccessOptions & Omit<CleanupOptions, keyof BucketAccess | 'wait'> & {
 *   onProgress: (progress: CleanupProgress) => void }} options `onProgress` is called periodically
 * @returns {Promise<CleanupResult>}
 */
export async function cleanUpRun({ onProgress, ...options }) {
  const result = newResult();
  const expected = options.reconciliation?.expected ?? null;
  const onCheck = (/** @type {number} */ silence) => onProgress({ removed: result.removed, expected, silence });
  return withBucketAccess({ ...options, onCheck }, (access) =>
    cleanUp({ ...options, ...access, wait: (milliseconds) => sleep(milliseconds) }, result),
  );
}

/**
 * Removes what a run wrote. Lists the run's prefix and deletes only keys that the run itself would give an object,
 * until a list shows none.
 *
 * @param {CleanupOptions} options
 * @param {CleanupResult} [result] updated along the way
 */
export async function cleanUp(options, result = newResult()) {
  const findings = { buckets: new BucketList(options.keyspace), seen: new SeenObjects(), result };
  if (options.ownsUpload) {
    Object.assign(result, { uploads: 0, uploadsLeft: -1 });
  }
  try {
    await removeAll(options, findings);
    const buckets = findings.buckets.other();
    if (buckets?.every((bucket) => bucket !== null)) {
      await removeAll({ ...options, keyspace: new Keyspace({ ...options.keyspace, buckets }) }, findings);
    } else {
      result.otherBuckets = buckets;
    }
  } catch (error) {
    const { problems } = result;
    result.problems = [];
    addProblems(result, [asAttemptError(error).message, ...problems]);
    await removeUnseen(options, result);
  }
  return result;
}

/**
 * @param {CleanupOptions} options
 * @param {Findings} findings
 */
async function removeAll(options, findings) {
  let shown = await removeShown(options, findings, options.reconciliation);
  if (options.outcomeUnknown) {
    await options.wait(LATE_WRITES_MS);
    // By now, missing objects have been removed.
    shown = await removeShown(options, findings, null);
  }
  const { objects, versions, foreign, uploads } = shown;
  Object.assign(findings.result, { left: objects + versions, foreign });
  if (options.ownsUpload) {
    findings.result.uploadsLeft = uploads ?? -1;
  }
}

/**
 * If the lists fail, what the run knows to have written is deleted by key.
 *
 * @param {CleanupOptions} options
 * @param {CleanupResult} result
 */
async function removeUnseen(options, result) {
  const places = [...(options.reconciliation?.unlistedKeys() ?? [])];
  if (places.length === 0) {
    return;
  }
  try {
    await removePlaces(options, places, result);
    addProblems(result, [`${counted(places.length, 'object')} had to be deleted by key, which no list confirms`]);
  } catch (error) {
    addProblems(result, [asAttemptError(error).message]);
  }
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
 * @property {number} foreign objects that the run did not write there
 * @property {Place[]} sample some of the objects
 * @property {number | null} uploads null if they cannot be listed
 */

/**
 * Removes the run's listed objects, in rounds, as long as one removes something. An object counts as removed if a list
 * showed it and the last list does not, regardless of the response to its deletion.
 *
 * @param {CleanupOptions} options
 * @param {Findings} findings
 * @param {Reconciliation | null} reconciliation to settle after the first round
 * @returns {Promise<Shown>} remaining objects
 */
async function removeShown(options, findings, reconciliation) {
  const { seen, result } = findings;
  const { versions, uploads = 0 } = result;
  reconciliation?.startWalk();
  const first = await removeListed(options, findings, true);
  let last = first;
  let unlistedLeft = 0;
  if (reconciliation !== null) {
    await reconciliation.settleRemoved(options);
    const unlisted = await reconciliation.settleUnlisted(options);
    if (reconciliation.isListIncomplete) {
      await removePlaces(options, [...reconciliation.unlistedKeys()], result);
      unlistedLeft = (await existingOf(options, unlisted)).length;
    }
  }
  for (let round = 1; round < MAX_ROUNDS && countOf(last) > 0; round++) {
    const [before, seenBefore] = [last, seen.count];
    last = await removeListed(options, findings, false);
    if (countOf(last) >= countOf(before) && seen.count === seenBefore) {
      break;
    }
  }
  // Lists that lag behind still show what is gone.
  const { sample } = last;
  const there = sample.length === 0 ? 1 : (await existingOf(options, sample)).length / sample.length;
  last.objects = Math.ceil(last.objects * there);
  result.removed = seen.count - last.objects;
  last.objects += unlistedLeft;
  result.versions = versions + Math.max(first.versions - last.versions, 0);
  if (options.ownsUpload && first.uploads !== null && last.uploads !== null) {
    result.uploads = uploads + Math.max(first.uploads - last.uploads, 0);
  }
  return last;
}

/** @param {Shown} shown */
function countOf({ objects, versions, uploads }) {
  return objects + versions + (uploads ?? 0);
}

/**
 * Walks the store's lists once, and removes what they show.
 *
 * @param {CleanupOptions} options
 * @param {Findings} findings
 * @param {boolean} isFirst whether this is the first look of a removeShown() call: what the store confirmed to have
 *   removed stays until the next one
 */
async function removeListed(options, findings, isFirst) {
  const { reconciliation, versioned, owns } = options;
  const { buckets, seen, result } = findings;
  // A refused deletion is repeated, and reported only if it is refused again.
  Object.assign(result, { problems: [], furtherProblems: 0 });
  /** @type {Shown} */
  const shown = { objects: 0, versions: 0, foreign: 0, sample: [], uploads: 0 };
  // Abort uploads first: an upload that completes in the meantime is then listed as an object.
  shown.uploads = await abortUploads(options, findings);
  if (owns === null) {
    return shown;
  }
  await walk({ ...options, owns }, async (bucket, { named, own, foreign }) => {
    named.forEach(({ index }) => buckets.see(index, bucket));
    shown.foreign += foreign;
    const removable = own.filter((each) => (reconciliation?.list(each, each.size) ?? true) || !isFirst);
    const keys = own.map(({ key }) => key);
    shown.objects += keys.length;
    shown.sample.push(...keys.slice(0, MAX_ASKED - shown.sample.length).map((key) => ({ bucket, key })));
    seen.add(keys, isFirst);
    // In a versioned bucket, objects are removed together with their versions.
    if (!versioned.has(bucket)) {
      await removeKeys(
        options,
        bucket,
        removable.map(({ key }) => key),
        result,
      );
    }
  });
  await removeVersions({ ...options, owns }, shown, result);
  return shown;
}

/**
 * Removes versions. If they cannot be listed, at least the objects are hidden.
 *
 * @param {CleanupOptions & WalkOptions} options
 * @param {Shown} shown
 * @param {CleanupResult} result
 */
async function removeVersions(options, shown, result) {
  const { admin, retry } = options;
  const find = () =>
    walkVersions(options, async (bucket, own) => {
      shown.versions += own.filter(({ isObject }) => !isObject).length;
      for (const count of /** @type {const} */ (['removed', 'versions'])) {
        const versions = own.filter(({ isObject }) => isObject === (count === 'removed'));
        await inBatches(versions, result, count, (batch) => retry(() => admin.deleteVersions(bucket, batch)));
      }
    });
  await unlessRefused(find, async (message) => {
    addProblems(result, [`old versions may remain, because they could not be listed: ${message}`]);
    await removePlaces(options, shown.sample, result);
  });
}

/**
 * @template Result
 * @param {() => Promise<Result>} work
 * @param {(message: string) => Result | Promise<Result>} orElse called if a request failed, and others may still succeed
 * @returns {Promise<Result>}
 */
async function unlessRefused(work, orElse) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AttemptError) || error.kind === STALLED || error.kind === ABANDONED) {
      throw error;
    }
    return orElse(error.message);
  }
}

/**
 * Aborts the run's uploads. Tolerates errors: credentials that can remove objects may lack the permission to list uploads, and a store without
 * uploads may respond with any error.
 *
 * @param {CleanupOptions} options
 * @param {Findings} findings
 * @returns {Promise<Shown['uploads']>}
 */
async function abortUploads({ ownsUpload: owns = null, ...options }, { buckets, result }) {
  const { admin, retry, keyspace, outcomeUnknown } = options;
  if (owns === null) {
    return 0;
  }
  const find = async () => {
    /** @type {{ bucket: string, key: string, uploadId: string }[]} */
    const own = [];
    await inParallel(keyspace.buckets, async (bucket) => {
      const isListed = await walkUploads({ admin, retry }, bucket, keyspace.keyPrefix, (uploads) => {
        const names = uploads.map(({ key }) => keyspace.recogniseName(key));
        names.forEach((name, position) => {
          if (name !== null && owns(name)) {
            buckets.see(name.index, bucket);
            if (keyspace.bucketOf(name.index) === bucket) {
              own.push({ bucket, ...uploads[position] });
            }
          }
        });
        return names.some((name) => name !== null);
      });
      if (!isListed && outcomeUnknown) {
        throw protocolError(
          'the store cannot list uploads, and some may be left because the response to a write was lost',
        );
      }
    });
    await inParallel(own, async (upload) => {
      await retry(() => admin.abortUpload(upload.bucket, upload));
      result.uploads = (result.uploads ?? 0) + 1;
    });
    return own.length;
  };
  return unlessRefused(find, (message) => {
    addProblems(result, [`the run's uploads could not be listed and aborted: ${message}`]);
    return null;
  });
}

/**
 * @param {CleanupOptions} options
 * @param {readonly Place[]} places
 * @param {CleanupResult} result
 */
async function removePlaces(options, places, result) {
  for (const bucket of options.keyspace.buckets) {
    const keys = places.filter((place) => place.bucket === bucket).map(({ key }) => key);
    await removeKeys(options, bucket, keys, result);
  }
}

/**
 * @param {CleanupOptions} options
 * @param {string} bucket
 * @param {readonly string[]} keys
 * @param {CleanupResult} result
 */
async function removeKeys(options, bucket, keys, result) {
  await inBatches(keys, result, 'removed', (batch) => deleteBatch(options, bucket, batch));
}

/**
 * @template Entry
 * @param {readonly Entry[]} entries to remove
 * @param {CleanupResult} result
 * @param {'removed' | 'versions'} count of the result
 * @param {(batch: readonly Entry[]) => Promise<string[]>} remove resolves to one message per entry that is still there
 */
async function inBatches(entries, result, count, remove) {
  for (let start = 0; start < entries.length; start += MAX_BATCH_SIZE) {
    const batch = entries.slice(start, start + MAX_BATCH_SIZE);
    const refused = await remove(batch);
    addProblems(result, refused);
    // A faulty store may refuse more keys than it was sent.
    result[count] += Math.max(batch.length - refused.length, 0);
  }
}

/**
 * Some stores take longer for a batch than a request may: it is halved. Others delete no batches.
 *
 * @param {Pick<CleanupOptions, 'admin' | 'retry'>} access
 * @param {string} bucket
 * @param {readonly string[]} keys
 * @returns {Promise<string[]>} one message per key that the store did not delete
 */
async function deleteBatch({ admin, retry }, bucket, keys) {
  const failure = await retry(() => admin.deleteBatch(bucket, keys).catch(batchFailure));
  if (Array.isArray(failure)) {
    return failure;
  }
  if (failure.kind === TIMEOUT && keys.length > 1) {
    const half = Math.ceil(keys.length / 2);
    const first = await deleteBatch({ admin, retry }, bucket, keys.slice(0, half));
    return [...first, ...(await deleteBatch({ admin, retry }, bucket, keys.slice(half)))];
  }
  if (failure.kind === TIMEOUT) {
    throw failure;
  }
  /** @type {string[]} */
  const refused = [];
  await inParallel(keys, (key) =>
    unlessRefused(
      () => retry(() => admin.deleteObject(bucket, key)),
      (message) => void refused.push(`${key}: ${message}`),
    ),
  );
  return refused;
}

/**
 * @param {unknown} error of a batch
 * @returns {AttemptError} after which smaller requests may succeed
 * @throws any other error
 */
function batchFailure(error) {
  const isRefused = error instanceof AttemptError && error.handling === 'fail' && NO_BATCHES.has(error.status);
  if (error instanceof AttemptError && (error.kind === TIMEOUT || isRefused)) {
    return error;
  }
  throw error;
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
 * @typedef {OwnKey & { key: string, size: number }} NamedObject
 *
 * @typedef {Pick<CleanupOptions, 'admin' | 'retry' | 'keyspace'> & { owns: (own: OwnKey) => boolean }} WalkOptions
 *
 * @typedef {object} SortedPage
 * @property {NamedObject[]} named objects with names of the run that it owns, in any bucket
 * @property {NamedObject[]} own those of them in the bucket that their keys map to, which are removed
 * @property {number} foreign number of objects that the run did not write there
 */

/**
 * Walks all keys under the run's prefix: one page of each bucket, then any further pages as several concurrent ranges.
 *
 * @param {WalkOptions} options
 * @param {(bucket: string, page: SortedPage) => Promise<void>} visit
 */
async function walk(options, visit) {
  const { admin, retry, keyspace } = options;
  const { buckets, keyPrefix } = keyspace;
  /** @type {Parameters<typeof walkRange>[2]} */
  const visitPage = async (bucket, inside, page) => {
    await visit(bucket, sortPage(bucket, inside, options));
    return page.some(({ key }) => keyspace.recogniseName(key) !== null);
  };
  /** @type {KeyRange[]} */
  const ranges = [];
  await inParallel(buckets, async (bucket) => {
    const { objects, next } = await retry(() => admin.listPage(bucket, keyPrefix, LIST_START));
    await visitPage(bucket, objects, objects);
    if (next !== null) {
      ranges.push(...rangesAfter(bucket, keyPrefix, next));
    }
  });
  await inParallel(ranges, (range) => walkRange(range, options, visitPage));
}

/**
 * @param {string} bucket
 * @param {readonly ListedObject[]} objects
 * @param {WalkOptions} options
 * @returns {SortedPage}
 */
function sortPage(bucket, objects, { keyspace, owns }) {
  const all = objects.flatMap(({ key, size }) => {
    const name = keyspace.recogniseName(key);
    return name === null ? [] : [{ key, size, ...name }];
  });
  const named = all.filter(owns);
  const own = named.filter(({ index }) => keyspace.bucketOf(index) === bucket);
  return { named, own, foreign: objects.length - all.length + named.length - own.length };
}
