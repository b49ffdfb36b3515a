import { asAttemptError } from '../s3/s3-error.js';
import { STALLED } from './bucket-access.js';
import { explainError, isTransient } from '../s3/explain-error.js';
import { inParallel } from './in-parallel.js';
import { ListProgress, walkRange } from './key-ranges.js';
import { walkUploads } from './uploads.js';

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
 * @returns {Promise<RunCounts & { problem: string | null, isTransient: boolean }>} `problem` is why the list is
 *   incomplete, or null; `isTransient` is whether the store caused the problem
 */
export async function listRuns({ access, prefix, store, clock, tally }) {
  const { buckets, hostname, port, settings } = store;
  try {
    await inParallel(buckets, async (bucket) => {
      const range = { bucket, prefix: `${prefix}/`, after: '', last: '\uffff', progress: new ListProgress(bucket) };
      await walkRange(range, access, async (_bucket, objects) => tally.add(bucket, objects));
      await walkUploads(access, bucket, `${prefix}/`, (uploads) => tally.addUploads(uploads));
    });
    return { ...tally.counts(), problem: null, isTransient: false };
  } catch (failure) {
    const error = asAttemptError(failure);
    const problem = explainError(error, { hostname, port, buckets, settings, action: 'list', now: clock.epochNow() });
    return {
      ...tally.counts(),
      problem,
      isTransient: isTransient(error) || TRANSIENT_KINDS.includes(error.kind),
    };
  }
}
