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

/** Buckets, and then ranges of keys, that are listed at the same time. */
const AT_ONCE = 8;

/** Kinds of errors that no other configuration would get over. */
const TROUBLES_OF_THE_STORE = ['protocol', STALLED];

/** It sorts after every name that a run gives an object. */
const BEHIND_ALL_NAMES = '~';

/**
 * @typedef {object} ListingEnd
 * @property {string | null} problem why not all could be listed
 * @property {boolean} isTransient whether that is a trouble of the store
 *
 * @typedef {RunCounts & ListingEnd} RunListing
 */

/**
 * @typedef {object} ListingOptions
 * @property {BucketAccess} access
 * @property {string} prefix of every run
 * @property {StoreConfig} store over whose buckets the runs spread their objects
 * @property {Clock} clock
 * @property {RunTally} tally that the objects are added to
 */

/**
 * Counts what runs have left under a prefix. What it remembers grows with the number of runs, never with that of objects.
 *
 * @param {ListingOptions} options
 * @returns {Promise<RunListing>}
 */
export async function listRuns({ access, prefix, store, clock, tally }) {
  const { buckets, hostname, port, settings } = store;
  /** @type {KeyRange[]} */
  const ranges = [];
  try {
    await inParallel(buckets, AT_ONCE, async (bucket) => {
      ranges.push(...(await scan(bucket, prefix, access, tally)));
    });
    await inParallel(ranges, AT_ONCE, (range) =>
      walkRange(range, access, async (bucket, objects) => tally.add(bucket, objects)),
    );
    await inParallel(buckets, AT_ONCE, async (bucket) => {
      await walkUploads(access, bucket, `${prefix}/`, (uploads) => tally.addUploads(bucket, uploads));
    });
    return { ...tally.counts(), problem: null, isTransient: false };
  } catch (error) {
    if (!(error instanceof AttemptError)) {
      throw error;
    }
    const problem = explainError(error, { hostname, port, buckets, settings, action: 'list', now: clock.epochNow() });
    return {
      ...tally.counts(),
      problem,
      isTransient: isTransient(error) || TROUBLES_OF_THE_STORE.includes(error.kind),
    };
  }
}

/**
 * Leafs through a bucket. Where a page ends within a run, the rest of that run is left to be listed in parallel.
 *
 * @param {string} bucket
 * @param {string} prefix
 * @param {ListingOptions['access']} access
 * @param {ListingOptions['tally']} tally
 * @returns {Promise<KeyRange[]>} what is left
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
    if (folder !== null && position < folder + BEHIND_ALL_NAMES) {
      const end = folder + BEHIND_ALL_NAMES;
      const ranges = rangesAfter(bucket, folder, position).filter(({ after }) => after < end);
      rest.push(...ranges.map((range) => ({ ...range, last: range.last < end ? range.last : end })));
      position = end;
    }
  }
}
