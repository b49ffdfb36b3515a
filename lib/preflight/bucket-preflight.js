import { NOT_FOUND } from '../s3/s3-error.js';
import { PREFLIGHT_PROBES, globalIndex } from '../workload/shard.js';
import { askForAbsentObject } from './absent-object.js';
import { askStore } from './ask-store.js';
import { FIRST_ACTION } from '../s3/explain-error.js';
import { REQUESTS } from './object-requests.js';

/**
 * @import { ObjectConnection } from '../s3/object-store.js'
 * @import { Answer } from './ask-store.js'
 * @import { Action } from './object-requests.js'
 * @import { OpenRun } from '../run/open-run.js'
 * @import { Findings } from './preflight-findings.js'
 * @import { PreflightHooks } from './preflight.js'
 * @import { RunConfig } from '../run/run-config.js'
 */

/** Enough to get over a hiccup, and soon over where there is nobody to answer. */
const MOST_ATTEMPTS = 4;

/** An object may be written once a second on R2, and a deletion may count: this is tried for longer than a second. */
const MOST_ATTEMPTS_TO_REMOVE = 7;

/** Permission does not depend on how many bytes an object has. */
const LARGEST_WRITE = 1024;

/** An object of an earlier run is read whole: a larger one is only looked for. */
const LARGEST_READ = 2 ** 20;

/**
 * What the preflight of all buckets shares, and a connection.
 *
 * @typedef {object} Shared
 * @property {OpenRun} run
 * @property {RunConfig} config
 * @property {AbortSignal} signal
 * @property {ObjectConnection} connection
 * @property {Findings} findings
 * @property {PreflightHooks} hooks
 * @property {Set<string>} missing objects of an earlier run that were looked for in vain
 */

/** The preflight of one bucket. */
export class BucketPreflight {
  #shared;
  #bucket;

  /**
   * @param {Shared} shared
   * @param {string} bucket
   */
  constructor(shared, bucket) {
    this.#shared = shared;
    this.#bucket = bucket;
  }

  async run() {
    const { run, config, signal, connection, findings, hooks } = this.#shared;
    const bucket = this.#bucket;
    const { error, attempts } = await askForAbsentObject({
      run,
      connection,
      bucket,
      mostAttempts: MOST_ATTEMPTS,
      signal,
    });
    run.requests.preflight += attempts;
    const isRefused = error !== null && error.kind !== NOT_FOUND;
    // To whom may not list, some stores say of an absent object that it is forbidden: what the run does will tell.
    const isInDoubt = error?.code === 'AccessDenied' && config.stages.length > 0;
    if (isRefused && !isInDoubt) {
      findings.add(FIRST_ACTION, bucket, error);
      return;
    }
    if (!isRefused) {
      hooks.reached();
    }
    if (run.wroteObjects) {
      await this.#tryAnObject();
    } else {
      const hasRead = await this.#lookForAnObject();
      if (isRefused && !hasRead && config.stages.includes('read')) {
        findings.add('read', bucket, error);
      }
    }
  }

  /** Writes a probe, looks at it and removes it. */
  async #tryAnObject() {
    const { run, config, signal, hooks } = this.#shared;
    const index = this.#firstIndex(PREFLIGHT_PROBES);
    if (index < 0 || signal.aborted || !(await hooks.mayWrite())) {
      return;
    }
    const key = run.keyspace.probeKeyOf(index);
    run.probes.add(index);
    const written = await this.#ask('write', key);
    if (written.error !== null && !written.outcomeUnknown) {
      run.probes.delete(index);
    }
    if (signal.aborted || written.error?.status === 0) {
      return;
    }
    if (written.error === null) {
      await hooks.written(this.#bucket, key);
    }
    await this.#look(key);
    if (signal.aborted) {
      return;
    }
    // A run that keeps its objects removes none, and need not be permitted to.
    const { error } = await this.#ask('remove', key, !config.keep);
    const isGone = error === null || error.kind === NOT_FOUND;
    const isKept = config.keep && error?.kind === 'denied' && run.probes.has(index);
    run.mayRemove &&= !isKept;
    if (isKept || (isGone && !written.outcomeUnknown)) {
      run.probes.delete(index);
    }
  }

  /**
   * Looks for an object that an earlier run should have written.
   *
   * @returns {Promise<boolean>} whether the store was asked to read one, so that its answer is known
   */
  async #lookForAnObject() {
    const { run, config, signal, missing, hooks } = this.#shared;
    const index = this.#firstIndex(Math.min(config.objects, PREFLIGHT_PROBES));
    /** @type {Answer[]} */
    let looks = [];
    if (index >= 0) {
      const key = run.keyspace.keyOf(index);
      looks = await this.#look(key);
      if (looks.some(({ error }) => error?.kind === NOT_FOUND)) {
        missing.add(`${this.#bucket}/${key}`);
      }
    }
    const probe = this.#firstIndex(PREFLIGHT_PROBES);
    if (config.stages.includes('remove') && probe >= 0 && !signal.aborted && (await hooks.mayWrite())) {
      // Nothing is there. Where versions are kept, a delete marker will be, and clean-up knows the key.
      await this.#ask('remove', run.keyspace.probeKeyOf(probe));
    }
    return looks.length > 0 && config.stages.includes('read') && config.size <= LARGEST_READ;
  }

  /**
   * @param {string} key
   * @returns {Promise<Answer[]>}
   */
  async #look(key) {
    const { config, signal, run } = this.#shared;
    const size = run.wroteObjects ? 0 : config.size;
    const answers = [];
    for (const action of /** @type {const} */ (['read', 'stat'])) {
      if (config.stages.includes(action) && !signal.aborted && (action === 'stat' || size <= LARGEST_READ)) {
        answers.push(await this.#ask(action, key));
      }
    }
    return answers;
  }

  /**
   * @param {Action} action
   * @param {string} key
   * @param {boolean} [isNeeded] whether the run cannot begin where it is refused
   */
  async #ask(action, key, isNeeded = true) {
    const { run, config, signal, connection, findings, hooks } = this.#shared;
    const size = Math.min(config.size, LARGEST_WRITE);
    const mostAttempts = action === 'remove' ? MOST_ATTEMPTS_TO_REMOVE : MOST_ATTEMPTS;
    const asked = { bucket: this.#bucket, key, size, makeBody: () => Buffer.alloc(size) };
    const request = () => REQUESTS[action](connection, asked);
    const startedAt = run.clock.now();
    const answer = await askStore({ run, connection, mostAttempts, signal }, request, action === 'write');
    run.requests.preflight += answer.attempts;
    if (answer.attempts === 1 && answer.error?.status !== 0) {
      hooks.answered(action, run.clock.now() - startedAt);
    }
    if (isNeeded && answer.error !== null && answer.error.kind !== NOT_FOUND) {
      findings.add(action, this.#bucket, answer.error);
    }
    return answer;
  }

  /**
   * @param {number} count of the shard's first objects, or first probes
   * @returns {number} the index of the first of them that belongs in this bucket, -1 where there is none
   */
  #firstIndex(count) {
    const { run, config } = this.#shared;
    for (let place = 0; place < count; place++) {
      const index = globalIndex(config.shard, place);
      if (run.keyspace.bucketOf(index) === this.#bucket) {
        return index;
      }
    }
    return -1;
  }
}
