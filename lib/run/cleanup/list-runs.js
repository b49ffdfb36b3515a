import { explainError, isTransient } from '../../store/explain-error.js';
import { asAttemptError } from '../../store/s3-error.js';
import { Keyspace, isRunId } from '../../load/workload/keyspace.js';
import { STALLED, inParallel, walkRange, walkUploads } from './bucket-access.js';

/**
 * @import { Clock } from '../../measure/clock/clock.js'
 * @import { StoreConfig } from '../../result/config.js'
 * @import { ListedObject, ListedUpload } from '../../store/bucket-admin.js'
 * @import { BucketAccess } from './bucket-access.js'
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
      await walkRange({ bucket, prefix: `${prefix}/` }, access, async (_bucket, objects) => tally.add(objects));
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

/**
 * @typedef {object} FoundRun a run that has left objects; times are epoch ms by the store's clock
 * @property {string} runId
 * @property {number} objects
 * @property {number} bytes NaN if the store reported an invalid size
 * @property {number} uploads that are neither completed nor aborted
 * @property {number} oldest
 * @property {number} newest
 */

/**
 * @typedef {object} RunCounts
 * @property {FoundRun[]} runs the newest first
 * @property {number} foreign objects that no run wrote
 */

/** Adds up objects by the run that wrote them. */
export class RunTally {
  #prefix;
  /** @type {Map<string, FoundRun>} */
  #runs = new Map();
  #foreign = 0;
  /** Cached, because consecutive keys nearly always belong to the same run. @type {Keyspace | null} */
  #keyspace = null;

  objects = 0;

  /** @param {string} prefix */
  constructor(prefix) {
    this.#prefix = prefix;
  }

  /**
   * @param {readonly ListedObject[]} objects
   * @returns {boolean} whether a run wrote any of them
   */
  add(objects) {
    this.objects += objects.length;
    const foreign = this.#foreign;
    for (const { key, size, modifiedAt } of objects) {
      const run = this.#runOf(key, modifiedAt);
      if (run === null) {
        this.#foreign += 1;
      } else {
        run.objects += 1;
        run.bytes += size;
      }
    }
    return this.#foreign - foreign < objects.length;
  }

  /**
   * Adds uploads. Ignores uploads with keys that no run would use.
   *
   * @param {readonly ListedUpload[]} uploads
   * @returns {boolean} whether a run began any of them
   */
  addUploads(uploads) {
    const runs = uploads.map(({ key, initiatedAt }) => this.#runOf(key, initiatedAt)).filter((run) => run !== null);
    runs.forEach((run) => (run.uploads += 1));
    return runs.length > 0;
  }

  /** @returns {RunCounts} */
  counts() {
    const runs = [...this.#runs.values()].sort((one, other) => other.newest - one.newest);
    return { runs, foreign: this.#foreign };
  }

  /**
   * @param {string} key of an object or upload
   * @param {number} time epoch ms of its last change
   * @returns {FoundRun | null} the run that gave it its name; null if there is none
   */
  #runOf(key, time) {
    // Without a folder, this is no run's ID.
    const runId = key.slice(this.#prefix.length + 1, Math.max(key.indexOf('/', this.#prefix.length + 1), 0));
    if (!isRunId(runId)) {
      return null;
    }
    if (this.#keyspace?.runId !== runId) {
      this.#keyspace = new Keyspace({ runId, prefix: this.#prefix, buckets: [] });
    }
    if (this.#keyspace.recogniseName(key) === null) {
      return null;
    }
    const run = this.#runs.get(runId) ?? { runId, objects: 0, bytes: 0, uploads: 0, oldest: time, newest: time };
    this.#runs.set(runId, run);
    run.oldest = Math.min(run.oldest, time);
    run.newest = Math.max(run.newest, time);
    return run;
  }
}
