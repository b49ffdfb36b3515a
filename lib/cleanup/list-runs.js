import { AttemptError } from '../s3/s3-error.js';
import { STALLED } from './bucket-access.js';
import { explainError, isTransient } from '../s3/explain-error.js';
import { inParallel } from './in-parallel.js';
import { ListProgress, listPage, rangesAfter, walkRange } from './key-ranges.js';
import { folderOf } from './run-tally.js';
import { walkUploads } from './uploads.js';

/**
 * @import { BucketAccess } from './bucket-access.js'
 * @import { KeyRange } from './key-ranges.js'
 * @import { RunCounts, RunTally } from './run-tally.js'
 * @import { Clock } from '../clock/clock.js'
 * @import { StoreConfig } from '../model/config.js'
 */

/** Kinds of errors that changing the configuration cannot fix. */
const TRANSIENT_KINDS = ['protocol', STALLED];

/** Sorts after every name that a run gives an object. */
const AFTER_ALL_NAMES = '~';

/**
 * @typedef {object} ListingOptions
 * @property {BucketAccess} access
 * @property {string} prefix of all runs
 * @property {StoreConfig} store with the buckets of the runs, in order
 * @property {Clock} clock
 * @property {RunTally} tally counts the objects
 */

/**
 * Counts what runs have left under a prefix. The memory needed grows with the number of runs, not of objects.
 *
 * @param {ListingOptions} options
 * @returns {Promise<RunCounts & { problem: string | null, isTransient: boolean }>} `problem` is why the list is
 *   incomplete, or null; `isTransient` is whether the store caused the problem
 */
export async function listRuns({ access, prefix, store, clock, tally }) {
  const { buckets } = store;
  /** @type {KeyRange[]} */
  const ranges = [];
  try {
    await inParallel(buckets, async (bucket) => {
      ranges.push(...(await scan(bucket, prefix, access, tally)));
    });
    await inParallel(ranges, (range) =>
      walkRange(range, access, async (bucket, objects) => tally.add(bucket, objects)),
    );
    await inParallel(buckets, async (bucket) => {
      await walkUploads(access, bucket, `${prefix}/`, (uploads) => tally.addUploads(bucket, uploads));
    });
    return { ...tally.counts(), problem: null, isTransient: false };
  } catch (error) {
    if (!(error instanceof AttemptError)) {
      throw error;
    }
    const problem = explainError(error, { store, buckets, action: 'list', now: clock.epochNow() });
    return {
      ...tally.counts(),
      problem,
      isTransient: isTransient(error) || TRANSIENT_KINDS.includes(error.kind),
    };
  }
}

/**
 * Pages through a bucket. If a page ends within a run, skips the rest of the run, to be listed in parallel later.
 *
 * @param {string} bucket
 * @param {string} prefix
 * @param {ListingOptions['access']} access
 * @param {ListingOptions['tally']} tally
 * @returns {Promise<KeyRange[]>} skipped ranges
 */
async function scan(bucket, prefix, access, tally) {
  /** @type {KeyRange[]} */
  const rest = [];
  const progress = new ListProgress(bucket);
  let position = '';
  for (;;) {
    const { objects, isLast } = await listPage(access, bucket, `${prefix}/`, position);
    const isFruitful = tally.add(bucket, objects);
    if (isLast) {
      return rest;
    }
    await progress.page(isFruitful);
    position = objects[objects.length - 1].key;
    const folder = folderOf(position, prefix);
    if (folder !== null && position < folder + AFTER_ALL_NAMES) {
      const end = folder + AFTER_ALL_NAMES;
      const ranges = rangesAfter(bucket, folder, position).filter(({ after }) => after < end);
      rest.push(...ranges.map((range) => ({ ...range, last: range.last < end ? range.last : end })));
      position = end;
    }
  }
}
