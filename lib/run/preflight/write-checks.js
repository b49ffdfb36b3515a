import { operationsOf } from '../../load/operations/registry.js';
import { pause } from '../../measure/clock/pause.js';
import { LIST_START } from '../../store/bucket-admin.js';
import { asAttemptError } from '../../store/s3-error.js';
import { inParallel, withBucketAccess } from '../cleanup/bucket-access.js';
import { findExistingObjects } from './existing-objects.js';
import { RunMarker } from './run-marker.js';

/**
 * @import { Config } from '../../result/config.js'
 * @import { AttemptError } from '../../store/s3-error.js'
 * @import { BucketAccess } from '../cleanup/bucket-access.js'
 * @import { ExistingObjects } from './existing-objects.js'
 * @import { RunContext } from './run-context.js'
 */

/** Independent of `--timeout`, because the run waits for these checks. */
const TIMEOUT_MS = 10_000;

const MAX_ATTEMPTS = 2;

/**
 * Before a run changes anything in its buckets, checks that its run ID is not in use, and that no bucket keeps versions
 * of removed objects. These checks protect other people's data, so `--no-preflight` does not skip them.
 */
export class WriteChecks {
  #run;
  #config;
  #signal;
  /** @type {Promise<boolean> | null} */
  #checked = null;
  /** Whether the run was allowed to write, so that it may have written. */
  mayHaveWritten = false;
  /** Buckets whose versioning is unknown, with their errors. @type {Map<string, AttemptError>} */
  #unknown = new Map();
  /** @type {string[]} */
  #notices = [];
  /** Whether the run can list its objects, as far as is known. */
  mayList = true;
  /** Reasons why the run must not begin, one per line. @type {string[]} */
  problems = [];
  /** Objects that block the run. @type {ExistingObjects | null} */
  existing = null;

  /**
   * @param {RunContext} run
   * @param {Config} config
   * @param {AbortSignal} signal aborts the work
   */
  constructor(run, config, signal) {
    this.#run = run;
    this.#config = config;
    this.#signal = signal;
    this.marker = new RunMarker(run.keyspace, config.objects.shard);
  }

  /** Whether the run may write. The first call, which must precede the first write, runs the checks. */
  mayWrite() {
    this.#checked ??= this.#check();
    return this.#checked;
  }

  /** Notices to show if the run begins. @returns {string[]} */
  get notices() {
    return [...this.#notices, ...describeUnknown(this.#unknown)];
  }

  /**
   * If a bucket's versioning is unknown, a HEAD of the new object reveals it. The response to the write does not,
   * because R2 includes a version ID although it keeps no versions (https://github.com/rustfs/rustfs/issues/7999).
   *
   * @param {string} bucket
   * @param {string} key of an object that has just been written
   */
  async written(bucket, key) {
    if (!this.#unknown.has(bucket)) {
      return;
    }
    try {
      const versionId = await this.#withAccess(({ admin, retry }) => retry(() => admin.versionIdOf(bucket, key)));
      this.#unknown.delete(bucket);
      if (versionId !== null) {
        await this.#withAccess((access) => this.#noteVersions(bucket, access));
      }
    } catch (error) {
      // The versioning remains unknown, for example because the credentials can write but not read.
      asAttemptError(error);
    }
  }

  /** Why a run that finds no objects of an earlier one cannot begin. @returns {Promise<string[]>} none if any exists */
  async lacking() {
    const { store, objects } = this.#config;
    const { keyspace } = this.#run;
    const { count, isWhole, unlisted } = await this.#withAccess((access) =>
      findExistingObjects(keyspace, objects, access),
    );
    return count > 0 || !isWhole || unlisted.size > 0
      ? []
      : [
          `run ${objects.runId} has no objects under ${keyspace.keyPrefix} in ${store.buckets.join(', ')}: check --run-id, --prefix and the buckets, and that the run used --keep`,
        ];
  }

  async #check() {
    const { store, load, objects } = this.#config;
    const { wroteObjects } = this.#run;
    // The embedded endpoint starts empty and keeps no versions.
    if (!store.isEmbedded && (wroteObjects || operationsOf(load.stages).some(({ removes }) => removes))) {
      await this.#withAccess(async (access) => {
        await Promise.all([this.#lookForVersioning(access), wroteObjects ? this.#lookForObjects(access) : null]);
        const isMarked = wroteObjects && this.problems.length === 0;
        if (isMarked && !(await this.marker.place(access, (milliseconds) => pause(milliseconds, this.#signal)))) {
          this.problems.push(
            `run ${objects.runId} is in use: another run with this id is under way; choose another --run-id`,
          );
        }
      });
    }
    this.mayHaveWritten = this.problems.length === 0 && !this.#signal.aborted;
    return this.mayHaveWritten;
  }

  /** @param {BucketAccess} access */
  async #lookForVersioning(access) {
    const { versioned, unknown } = await requestVersioning(this.#config.store.buckets, access);
    await Promise.all([...versioned].map((bucket) => this.#noteVersions(bucket, access)));
    this.#unknown = unknown;
    // Object lock requires versioning.
    for (const bucket of this.#run.wroteObjects ? versioned : []) {
      // Without a lock, S3 answers with an error. Without permission to ask, it is the removal of the probe that fails.
      const retention = await access
        .retry(() => access.admin.retentionOf(bucket))
        .catch((error) => asAttemptError(error) && null);
      if (retention !== null) {
        this.problems.push(
          `bucket "${bucket}" locks new objects (default retention: ${retention}), so the run could not remove them: use a bucket without object lock`,
        );
      }
    }
  }

  /**
   * @param {string} bucket
   * @param {BucketAccess} access
   */
  async #noteVersions(bucket, { admin, retry }) {
    const keeps = `bucket "${bucket}" keeps versions`;
    this.#run.versioned.add(bucket);
    if (!this.#config.objects.allowVersioned) {
      this.problems.push(
        `${keeps}, so removed objects would stay there as old versions: use a bucket without versioning, or pass --allow-versioned to let clean-up remove the versions of the run's own objects`,
      );
      return;
    }
    try {
      await retry(() => admin.listVersionsPage(bucket, this.#run.keyspace.keyPrefix, LIST_START));
    } catch (error) {
      const { message } = asAttemptError(error);
      this.problems.push(`${keeps}, which clean-up could not remove, because they cannot be listed (${message})`);
    }
  }

  /** @param {BucketAccess} access */
  async #lookForObjects(access) {
    const { store, objects, load } = this.#config;
    if (load.replay?.prepare.first) {
      this.problems.push(...(await this.lacking()));
      return;
    }
    const { runId } = objects;
    const { keyspace } = this.#run;
    const existing = await findExistingObjects(keyspace, objects, access);
    const { count, isWhole, unlisted } = existing;
    if (count > 0) {
      this.existing = existing;
      this.problems.push(
        `run ${runId} is in use: ${isWhole ? '' : 'at least '}${count} of its objects are under ${keyspace.keyPrefix} in ${store.buckets.join(', ')}; choose another --run-id, or remove them first`,
      );
    } else if (!isWhole) {
      this.#notices.push(
        `There are too many objects under ${keyspace.keyPrefix} to check all of them; none of those checked belongs to this shard`,
      );
    }
    if (unlisted.size > 0) {
      const [[, { message }]] = unlisted;
      this.mayList = ![...unlisted.values()].some(
        ({ kind, status }) => kind === 'denied' || NOT_IMPLEMENTED.has(status),
      );
      const end = this.mayList ? '' : '; whether it leaves any will be unknown, too';
      this.#notices.push(
        `It is unknown whether run ${runId} already has objects in ${[...unlisted.keys()].join(', ')}, because listing failed (${message})${end}`,
      );
    }
  }

  /**
   * @template Result
   * @param {(access: BucketAccess) => Promise<Result>} work
   */
  #withAccess(work) {
    const options = { run: this.#run, timeout: TIMEOUT_MS, signal: this.#signal, maxAttempts: MAX_ATTEMPTS };
    return withBucketAccess({ ...options, countAs: 'preflight' }, work);
  }
}

/** Status codes of a store that does not support a request. */
const NOT_IMPLEMENTED = new Set([405, 501]);

/**
 * Buckets that keep old versions of overwritten or deleted objects. They include buckets with suspended versioning,
 * where earlier versions remain and a deletion still leaves a delete marker.
 *
 * @typedef {object} Versioning
 * @property {Set<string>} versioned
 * @property {Map<string, AttemptError>} unknown buckets whose versioning is unknown, with their errors
 */

/** Returns one line per bucket. @param {Versioning['unknown']} unknown */
export function describeUnknown(unknown) {
  return [...unknown].map(
    ([bucket, { message }]) =>
      `It is unknown whether bucket "${bucket}" keeps versions of removed objects (${message})`,
  );
}

/**
 * @param {readonly string[]} buckets
 * @param {BucketAccess} access
 */
export async function requestVersioning(buckets, { admin, retry }) {
  /** @type {Versioning} */
  const versioning = { versioned: new Set(), unknown: new Map() };
  await inParallel(buckets, async (bucket) => {
    try {
      if ((await retry(() => admin.versioningOf(bucket))) !== null) {
        versioning.versioned.add(bucket);
      }
    } catch (error) {
      const failure = asAttemptError(error);
      if (!NOT_IMPLEMENTED.has(failure.status)) {
        versioning.unknown.set(bucket, failure);
      }
    }
  });
  return versioning;
}
