import { asAttemptError } from '../s3/s3-error.js';
import { STALLED, inParallel } from './bucket-access.js';
import { explainError, isTransient } from '../s3/explain-error.js';
import { walkRange, walkUploads } from './lists.js';

/**
 * @import { BucketAccess } from './bucket-access.js'
 * @import { RunCounts, RunTally } from './run-tally.js'
 * @import { Clock } from '../clock/clock.js'
 * @import { StoreConfig } from '../model/config.js'
 */

/** Kinds of errors that changing the configuration cannot fix. */
const TRANSIENT_KINDS = ['protocol', STALLED];

/**
 * @typedef {object} ListingOptions
 * @property {BucketAccess} access
 * @property {string} prefix of all runs
 * @property {StoreConfig} store with the buckets of the runs
 * @property {Clock} clock
 * @property {RunTally} tally counts the objects
 */

/**
 * Counts what runs have left under a prefix. The memory needed grows with the number of runs, not of objects.
 *
 * @param {ListingOptions} options
 * @returns {Promise<RunCounts & { problem: string | null, isTransient: boolean, uploadsProblem: string | null }>}
 *   `problem` is why the list is incomplete, or null; `isTransient` is whether the store caused the problem;
 *   `uploadsProblem` is why that of the uploads is
 */
export async function listRuns(options) {
  const { access, prefix, store, clock, tally } = options;
  const { buckets } = store;
  try {
    await inParallel(buckets, async (bucket) => {
      await walkRange({ bucket, prefix: `${prefix}/` }, access, async (_bucket, objects) => tally.add(bucket, objects));
    });
    const uploadsProblem = await addUploads(options);
    return { ...tally.counts(), problem: null, isTransient: false, uploadsProblem };
  } catch (failure) {
    const error = asAttemptError(failure);
    const problem = explainError(error, { store, buckets, action: 'list', now: clock.epochNow() });
    const isStores = isTransient(error) || TRANSIENT_KINDS.includes(error.kind);
    return { ...tally.counts(), problem, isTransient: isStores, uploadsProblem: null };
  }
}

/**
 * @param {ListingOptions} options
 * @returns {Promise<string | null>} why not all uploads could be listed
 */
async function addUploads({ access, prefix, store: { buckets }, tally }) {
  try {
    await inParallel(buckets, async (bucket) => {
      await walkUploads(access, bucket, `${prefix}/`, (uploads) => tally.addUploads(uploads));
    });
    return null;
  } catch (error) {
    return asAttemptError(error).message;
  }
}
