import { Keyspace, isRunId } from '../workload/keyspace.js';

/** So many foreign keys are named. */
const MOST_EXAMPLES = 3;

/**
 * A run that has left objects; times are epoch ms by the store's clock.
 *
 * @typedef {object} FoundRun
 * @property {string} runId
 * @property {number} objects
 * @property {number} bytes
 * @property {number} oldest
 * @property {number} newest
 */

/**
 * @typedef {object} RunCounts
 * @property {FoundRun[]} runs the newest first
 * @property {{ objects: number, bytes: number, examples: string[] }} foreign what no run wrote
 */

/** Adds up objects by the run that wrote them. */
export class RunTally {
  #prefix;
  #buckets;
  /** @type {Map<string, FoundRun>} */
  #runs = new Map();
  #foreign = { objects: 0, bytes: 0, examples: /** @type {string[]} */ ([]) };
  /** Of the run whose object came last: the next one is nearly always of the same. @type {Keyspace | null} */
  #keyspace = null;

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
   * @param {readonly import('../s3/bucket-admin.js').ListedObject[]} objects
   */
  add(bucket, objects) {
    for (const object of objects) {
      const runId = this.#runOf(bucket, object.key);
      if (runId === null) {
        this.#addForeign(bucket, object);
      } else {
        this.#addOwn(runId, object);
      }
    }
  }

  /** @returns {RunCounts} */
  counts() {
    const runs = [...this.#runs.values()].sort((one, other) => other.newest - one.newest);
    return { runs, foreign: this.#foreign };
  }

  /**
   * @param {string} bucket
   * @param {string} key
   * @returns {string | null} the id of the run to which --cleanup would count the object
   */
  #runOf(bucket, key) {
    const runId = folderOf(key, this.#prefix)?.slice(this.#prefix.length + 1, -1) ?? '';
    if (!isRunId(runId)) {
      return null;
    }
    if (this.#keyspace?.runId !== runId) {
      const layout = { runId, prefix: this.#prefix, buckets: this.#buckets };
      this.#keyspace = new Keyspace(layout);
    }
    return this.#keyspace.recognise(bucket, key) === null ? null : runId;
  }

  /**
   * @param {string} runId
   * @param {import('../s3/bucket-admin.js').ListedObject} object
   */
  #addOwn(runId, { size, modifiedAt }) {
    const run = this.#runs.get(runId) ?? { runId, objects: 0, bytes: 0, oldest: modifiedAt, newest: modifiedAt };
    run.objects += 1;
    run.bytes += size;
    run.oldest = Math.min(run.oldest, modifiedAt);
    run.newest = Math.max(run.newest, modifiedAt);
    this.#runs.set(runId, run);
  }

  /**
   * @param {string} bucket
   * @param {import('../s3/bucket-admin.js').ListedObject} object
   */
  #addForeign(bucket, { key, size }) {
    this.#foreign.objects += 1;
    this.#foreign.bytes += size;
    if (this.#foreign.examples.length < MOST_EXAMPLES) {
      this.#foreign.examples.push(`${bucket}/${key}`);
    }
  }
}

/**
 * @param {string} key
 * @param {string} prefix
 * @returns {string | null} what all keys of the same run would begin with; null where it stands in no folder
 */
export function folderOf(key, prefix) {
  const end = key.indexOf('/', prefix.length + 1);
  return end < 0 ? null : key.slice(0, end + 1);
}
