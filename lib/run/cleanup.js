import { AttemptError } from '../s3/s3-error.js';
import { inParallel } from './in-parallel.js';
import { rangesOf, walkRange } from './key-ranges.js';

/** Ranges of keys that are listed at the same time. */
const RANGES_AT_ONCE = 8;

/** S3 allows no more keys in one batch. */
const LONGEST_BATCH = 1000;

/** Requests whose answer never came may be carried out this late. */
const LATE_WRITES_MS = 2000;

/**
 * @typedef {object} CleanupResult
 * @property {number} removed objects
 * @property {number} left objects of the run that the store still has, by its own count; -1 where it could not be counted
 * @property {number} foreign objects under the run's prefix that the run did not write, and that stay
 * @property {string[]} problems what the store said about objects that it did not delete, and requests that failed
 */

/**
 * @typedef {object} CleanupOptions
 * @property {import('../s3/bucket-admin.js').BucketAdmin} admin
 * @property {import('../workload/keyspace.js').Keyspace} keyspace
 * @property {(own: import('../workload/keyspace.js').OwnKey) => boolean} owns whether an object of the run is to be removed
 * @property {<Result>(request: () => Promise<Result>) => Promise<Result>} retry
 * @property {boolean} outcomeUnknown whether a write may still be under way: the store is then looked at twice
 * @property {(milliseconds: number) => Promise<void>} wait
 */

/**
 * Removes what a run wrote. It lists the run's prefix and deletes only keys that the run itself would give an object, and
 * it ends with a count that is taken from the store.
 *
 * @param {CleanupOptions} options
 * @returns {Promise<CleanupResult>}
 */
export async function cleanUp(options) {
  const result = { removed: 0, left: -1, foreign: 0, problems: /** @type {string[]} */ ([]) };
  try {
    await removeAll(options, result);
    if (options.outcomeUnknown) {
      await options.wait(LATE_WRITES_MS);
      await removeAll(options, result);
    }
    await countLeft(options, result);
  } catch (error) {
    if (!(error instanceof AttemptError)) {
      throw error;
    }
    result.problems.push(error.message);
  }
  return result;
}

/**
 * @param {CleanupOptions} options
 * @param {CleanupResult} result
 */
async function removeAll(options, result) {
  const { admin, retry } = options;
  await walk(options, async (bucket, own) => {
    for (let start = 0; start < own.length; start += LONGEST_BATCH) {
      const batch = own.slice(start, start + LONGEST_BATCH);
      const refused = await retry(() => admin.deleteBatch(bucket, batch));
      result.removed += batch.length - refused.length;
      result.problems.push(...refused);
    }
  });
}

/**
 * @param {CleanupOptions} options
 * @param {CleanupResult} result
 */
async function countLeft(options, result) {
  let left = 0;
  await walk(options, async (_bucket, own, foreign) => {
    left += own.length;
    result.foreign += foreign;
  });
  result.left = left;
}

/**
 * Goes over all keys under the run's prefix, several ranges of each bucket at once.
 *
 * @param {CleanupOptions} options
 * @param {(bucket: string, own: string[], foreign: number) => Promise<void>} visit one page
 */
async function walk(options, visit) {
  const { keyspace, owns } = options;
  const ranges = keyspace.buckets.flatMap((bucket) => rangesOf(bucket, keyspace.keyPrefix));
  await inParallel(ranges, RANGES_AT_ONCE, (range) =>
    walkRange(range, options, (bucket, objects) => {
      const keys = objects.map(({ key }) => key);
      const recognised = keys.map((key) => keyspace.recognise(bucket, key));
      const own = keys.filter((_, place) => recognised[place] !== null && owns(recognised[place]));
      return visit(bucket, own, recognised.filter((found) => found === null).length);
    }),
  );
}
