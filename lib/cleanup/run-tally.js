import { BucketList } from '../workload/bucket-list.js';
import { Keyspace, isRunId } from '../workload/keyspace.js';

/** @import { ListedObject, ListedUpload } from '../s3/bucket-admin.js' */

/** Maximum number of foreign keys that are named as examples. */
const MAX_EXAMPLES = 3;

/**
 * @typedef {object} FoundRun a run that has left objects; times are epoch ms by the store's clock
 * @property {string} runId
 * @property {number} objects
 * @property {number} bytes NaN if the store reported an invalid size
 * @property {number} uploads that are neither completed nor aborted
 * @property {number} misplaced objects in a bucket other than the one that their keys map to
 * @property {readonly (string | null)[] | null} otherBuckets see BucketList
 * @property {number} oldest
 * @property {number} newest
 */

/**
 * @typedef {object} RunCounts
 * @property {FoundRun[]} runs the newest first
 * @property {{ objects: number, bytes: number, examples: string[] }} foreign objects that no run wrote
 */

/** Adds up objects by the run that wrote them. */
export class RunTally {
  #prefix;
  #buckets;
  /** @type {Map<string, { run: FoundRun, list: BucketList }>} */
  #runs = new Map();
  #foreign = { objects: 0, bytes: 0, examples: /** @type {string[]} */ ([]) };
  /** Cached, because consecutive keys nearly always belong to the same run. @type {Keyspace | null} */
  #keyspace = null;

  objects = 0;

  /**
   * @param {string} prefix
   * @param {readonly string[]} buckets
   */
  constructor(prefix, buckets) {
    this.#prefix = prefix;
    this.#buckets = buckets;
  }

  /**
   * @param {string} bucket
   * @param {readonly ListedObject[]} objects
   * @returns {boolean} whether a run wrote any of them
   */
  add(bucket, objects) {
    this.objects += objects.length;
    const foreign = this.#foreign.objects;
    for (const object of objects) {
      const keyspace = this.#keyspaceOf(object.key);
      const name = keyspace?.recogniseName(object.key) ?? null;
      if (keyspace === null || name === null) {
        this.#addForeign(bucket, object);
      } else {
        this.#addNamed(keyspace, name.index, bucket, object);
      }
    }
    return this.#foreign.objects - foreign < objects.length;
  }

  /**
   * Adds uploads. Ignores uploads with keys that no run would use.
   *
   * @param {string} bucket
   * @param {readonly ListedUpload[]} uploads
   * @returns {boolean} whether a run began any of them
   */
  addUploads(bucket, uploads) {
    let isFruitful = false;
    for (const { key, initiatedAt } of uploads) {
      const keyspace = this.#keyspaceOf(key);
      const name = keyspace?.recogniseName(key) ?? null;
      if (keyspace !== null && name !== null) {
        const run = this.#seen(keyspace, name.index, bucket, initiatedAt);
        run.uploads += 1;
        run.misplaced += Number(keyspace.bucketOf(name.index) !== bucket);
        isFruitful = true;
      }
    }
    return isFruitful;
  }

  /** @returns {RunCounts} */
  counts() {
    const runs = [...this.#runs.values()]
      .map(({ run, list }) => ({ ...run, otherBuckets: list.other() }))
      .sort((one, other) => other.newest - one.newest);
    return { runs, foreign: this.#foreign };
  }

  /** The keyspace of the run whose folder contains the key; null if there is none. @param {string} key */
  #keyspaceOf(key) {
    const runId = folderOf(key, this.#prefix)?.slice(this.#prefix.length + 1, -1) ?? '';
    if (!isRunId(runId)) {
      return null;
    }
    if (this.#keyspace?.runId !== runId) {
      this.#keyspace = new Keyspace({ runId, prefix: this.#prefix, buckets: this.#buckets });
    }
    return this.#keyspace;
  }

  /**
   * @param {Keyspace} keyspace
   * @param {number} index of the object or probe
   * @param {string} bucket
   * @param {ListedObject} object
   */
  #addNamed(keyspace, index, bucket, { size, modifiedAt }) {
    const run = this.#seen(keyspace, index, bucket, modifiedAt);
    run.objects += 1;
    run.bytes += size;
    run.misplaced += Number(keyspace.bucketOf(index) !== bucket);
  }

  /**
   * @param {Keyspace} keyspace
   * @param {number} index of the object or probe
   * @param {string} bucket that contains it
   * @param {number} time epoch ms of its last change
   * @returns {FoundRun}
   */
  #seen(keyspace, index, bucket, time) {
    const found = this.#runs.get(keyspace.runId) ?? newRun(keyspace, time);
    this.#runs.set(keyspace.runId, found);
    found.list.see(index, bucket);
    const { run } = found;
    run.oldest = Math.min(run.oldest, time);
    run.newest = Math.max(run.newest, time);
    return run;
  }

  /**
   * @param {string} bucket
   * @param {ListedObject} object
   */
  #addForeign(bucket, { key, size }) {
    this.#foreign.objects += 1;
    this.#foreign.bytes += size;
    if (this.#foreign.examples.length < MAX_EXAMPLES) {
      this.#foreign.examples.push(`${bucket}/${key}`);
    }
  }
}

/**
 * @param {Keyspace} keyspace
 * @param {number} modifiedAt epoch ms, of the object found first
 */
function newRun(keyspace, modifiedAt) {
  const { runId } = keyspace;
  const counts = { objects: 0, bytes: 0, uploads: 0, misplaced: 0, oldest: modifiedAt, newest: modifiedAt };
  return { run: { runId, ...counts, otherBuckets: null }, list: new BucketList(keyspace) };
}

/**
 * @param {string} key
 * @param {string} prefix
 * @returns {string | null} the folder with its trailing `/`, shared by all keys of a run; null without a folder
 */
export function folderOf(key, prefix) {
  const end = key.indexOf('/', prefix.length + 1);
  return end < 0 ? null : key.slice(0, end + 1);
}
