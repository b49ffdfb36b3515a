import { runPool } from '../../load/run-pool.js';
import { multipartAsFor } from '../../load/operations/multipart.js';
import { OperationRecord } from '../../load/operations/operation-record.js';
import { CHANGED } from '../../load/operations/versions.js';
import { operationsOfRun } from '../../load/operations/registry.js';
import { batchRemove, remove } from '../../load/operations/remove.js';
import { FIRST_ACTION, explainError, isTransient } from '../../store/explain-error.js';
import { CLIENTS } from '../../store/object-store.js';
import { ARCHIVED, AttemptError, NOT_FOUND, NO_STORE } from '../../store/s3-error.js';
import { listOf } from '../../text/figures.js';
import { PREFLIGHT_PROBES, globalIndex } from '../../load/workload/keyspace.js';
import { otherContent, requestAbsentObject, sendControlOperation } from './control-request.js';
import { NO_BATCHES } from '../cleanup/cleanup.js';
import { keptWorkload, probeCopyWorkload, probeWorkload } from './probe-workload.js';

/**
 * @import { Config, StoreConfig } from '../../result/config.js'
 * @import { Operation, Workload } from '../../load/operations/operation.js'
 * @import { ObjectConnection } from '../../store/object-store.js'
 * @import { RunContext } from './run-context.js'
 */

/** Enough to survive a brief failure, but few enough to give up quickly if there is no store. */
const MAX_ATTEMPTS = 4;

/** Kinds of errors that concern only a single object. */
const NO_OBSTACLES = [NOT_FOUND, CHANGED, ARCHIVED];

/** Probes are small, because permissions do not depend on the size of an object. */
const MAX_PROBE_BYTES = 1024;

/**
 * @typedef {object} PreflightResult
 * @property {string[]} problems one line each; empty if the run may begin
 * @property {boolean} isTransient whether all problems are transient errors of the store rather than user errors
 * @property {string[]} notices
 */

/**
 * @typedef {object} PreflightHooks
 * @property {() => Promise<boolean>} mayWrite called before each write
 * @property {(bucket: string, key: string) => Promise<void>} written called after each write
 * @property {() => void} reached called when a bucket has given the expected response
 * @property {() => Promise<string[]>} lacking called if objects of an earlier run are missing; problems if all are
 * @property {(milliseconds: number) => void} answered called after a response to a first attempt
 */

/** @type {Readonly<PreflightHooks>} */
const NO_HOOKS = Object.freeze({
  mayWrite: async () => true,
  written: async () => {},
  reached() {},
  lacking: async () => [],
  answered() {},
});

/**
 * Requests an absent object from each bucket, which tests host name, TLS, signature, clock and bucket. Then tries the
 * run's operations on a probe, or on an object of an earlier run. Removes the probes again; `run.probes` keeps those
 * that clean-up still has to remove.
 *
 * @param {RunContext} run
 * @param {Config} config
 * @param {AbortSignal} signal
 * @param {Partial<PreflightHooks>} [hooks]
 * @returns {Promise<PreflightResult>}
 */
export async function preflight(run, config, signal, hooks) {
  const findings = new Findings();
  const { store, objects } = config;
  const shared = {
    run,
    config,
    findings,
    missing: /** @type {Set<string>} */ (new Set()),
    dialect: /** @type {Set<string>} */ (new Set()),
    probes: probeWorkload(run, objects.shard, () => Math.min(objects.size, MAX_PROBE_BYTES)),
    kept: keptWorkload(run, objects),
    hooks: { ...NO_HOOKS, ...hooks },
  };
  const { missing, dialect } = shared;
  let next = 0;
  if (config.schedule.preflight) {
    await runPool({
      threads: run.controlConnections,
      claim: () => (next < store.buckets.length && !signal.aborted ? next++ : -1),
      work(connection, index) {
        // Each bucket gets its own signal, because Node warns about a leak if a signal has more than ten listeners.
        const own = { ...shared, connection, signal: AbortSignal.any([signal]) };
        return checkBucket(own, store.buckets[index]);
      },
    });
  }
  // Requests that were cut off because the run was stopped prove nothing.
  if (signal.aborted) {
    return { problems: [], isTransient: false, notices: [] };
  }
  const problems = findings.lines(store, run.clock.epochNow());
  const notices = [...dialect];
  if (missing.size > 0) {
    problems.push(...(await shared.hooks.lacking()));
    notices.unshift(
      `Run ${objects.runId} has no ${[...missing].join(', ')} in these buckets: check that the run used --keep, and the same --prefix and buckets`,
    );
  }
  return { problems, isTransient: findings.isTransient, notices };
}

/**
 * @typedef {object} Shared what the preflights of all buckets have in common, except for the signal and the connection
 * @property {RunContext} run
 * @property {Config} config
 * @property {AbortSignal} signal
 * @property {ObjectConnection} connection
 * @property {Findings} findings
 * @property {PreflightHooks} hooks
 * @property {Set<string>} missing objects of an earlier run that were not found
 * @property {Set<string>} dialect notices of what the store, a proxy or a cache does, and what that means for the run
 * @property {Workload} probes
 * @property {Workload} kept objects of an earlier run
 */

/**
 * @param {Shared} shared
 * @param {string} bucket
 */
async function checkBucket(shared, bucket) {
  const { run, config, signal, connection, findings, missing, dialect, hooks, probes, kept } = shared;
  const { objects, load } = config;
  const operations = operationsOfRun(load);
  const ofStages = operations.filter(({ removes }) => removes);
  const removing = ofStages.length > 0 ? ofStages : [remove];
  // Split the small probe into parts if the stage splits its objects.
  const multipart = multipartAsFor(objects.size, load.multipart);
  const indexOf = (/** @type {number} */ localIndex) => globalIndex(objects.shard, localIndex);
  /** Whether the store confirmed that it wrote the probe. */
  let isWritten = false;

  /**
   * Finds out once what else would count as an integrity error of each object.
   *
   * @param {Operation} operation that has succeeded
   * @param {number} localIndex of the probe
   */
  const noteDialect = ({ creates, effect, name }, localIndex) => {
    const { etagDigest, contentLength } = connection.reply;
    if (creates && etagDigest === 0) {
      dialect.add('The store returns no ETag for a write, so Stat checks only sizes');
    }
    if (effect === 'reads' && !probes.ledger.matches(localIndex, etagDigest)) {
      run.ledger.ignoreEtags();
      dialect.add('The ETag of an object differs from the one returned for its write, so Stat checks only sizes');
    }
    if (name === 'stat' && contentLength < 0) {
      dialect.add('The response to HEAD does not state the size, so Stat checks only ETags');
    }
  };

  /**
   * @param {readonly Operation[]} candidates of which only those with this effect are tried
   * @param {Operation['effect']} effect
   * @param {Workload} workload
   * @param {number} localIndex of an object of the workload
   * @param {boolean} [isNeeded] whether a refusal keeps the run from starting
   */
  const tryAll = async (candidates, effect, workload, localIndex, isNeeded = true) => {
    const answers = [];
    for (const operation of candidates.filter((each) => each.effect === effect)) {
      if (signal.aborted) {
        break;
      }
      const { name, preflight: means } = operation;
      const record = new OperationRecord(operation, workload, connection);
      record.take(0, operation, localIndex);
      const startedAt = run.clock.now();
      run.trace?.begin(name);
      const answer = await sendControlOperation({ run, maxAttempts: means.maxAttempts, signal }, record, multipart);
      run.requests.preflight += answer.attempts;
      run.trace?.end(name).forEach(run.notice);
      answers.push(answer);
      const isPublic = CLIENTS[load.client].readsCache && operation.followsAccess;
      const error = answer.error ?? (isPublic && answer.mismatch !== null ? otherContent(record) : null);
      if (answer.isFirstTry && error?.status !== 0) {
        hooks.answered(run.clock.now() - startedAt);
      }
      // A probe that was written and cannot be read was not stored, or the public URL does not serve it.
      const isKnown = isWritten || (isPublic && run.listed);
      const isExpected = NO_OBSTACLES.includes(error?.kind ?? '') && !(isKnown && effect === 'reads');
      if (isNeeded && error !== null && !isExpected) {
        error.advice ||= error.handling === 'fail' ? means.advice : '';
        findings.add(name, bucket, error);
      }
      if (error === null && workload === probes) {
        noteDialect(operation, localIndex);
      }
    }
    return answers;
  };

  /**
   * @param {number} count of the shard's first objects or probes
   * @param {Pick<Workload, 'keyspace'>} workload that has these objects or probes
   * @returns {number[]} local indices of those that belong in this bucket
   */
  const indicesHere = (count, { keyspace }) =>
    Array.from({ length: count }, (_, localIndex) => localIndex).filter(
      (localIndex) => keyspace.buckets[keyspace.slotOf(indexOf(localIndex), keyspace.buckets.length)] === bucket,
    );

  /** Resolves to whether no copy of the probe is left. @param {number} localIndex of the probe */
  const tryCopy = async (localIndex) => {
    const made = await tryAll(operations, 'copies', probes, localIndex);
    if (made.every(({ error, outcomeUnknown }) => error !== null && !outcomeUnknown)) {
      return true;
    }
    const removed = await tryAll(removing, 'removes', probeCopyWorkload(probes, run), localIndex, false);
    return made.every(({ outcomeUnknown }) => !outcomeUnknown) && removed.some(({ error }) => error === null);
  };

  /**
   * As clean-up does: in a batch, if the store can. The requests of the stages are tried in any case.
   *
   * @param {number} localIndex of the probe
   */
  const tryRemoval = async (localIndex) => {
    const answers = await tryAll([batchRemove], 'removes', probes, localIndex, false);
    const error = answers[0]?.error ?? null;
    if (error !== null && NO_BATCHES.has(error.status)) {
      dialect.add(`The store does not support DeleteObjects (${error.message}): clean-up deletes objects one by one`);
    }
    const isEnough = error === null && ofStages.length === 0;
    return isEnough ? answers : [...answers, ...(await tryAll(removing, 'removes', probes, localIndex))];
  };

  /** Creates a probe, reads it in every way that the stages read objects, and removes it. */
  const tryProbe = async () => {
    const [localIndex = -1] = indicesHere(PREFLIGHT_PROBES, probes);
    if (localIndex < 0 || signal.aborted || !(await hooks.mayWrite())) {
      return;
    }
    const index = indexOf(localIndex);
    run.probes.add(index);
    const written = await tryAll(operations, 'creates', probes, localIndex);
    const outcomeUnknown = written.some((answer) => answer.outcomeUnknown);
    if (written.every(({ error }) => error !== null) && !outcomeUnknown) {
      run.probes.delete(index);
    }
    if (signal.aborted || written.some(({ error }) => error?.status === 0)) {
      return;
    }
    isWritten = written.some(({ error }) => error === null);
    if (isWritten) {
      await hooks.written(bucket, run.keyspace.probeKeyOf(index));
    }
    await tryAll(operations, 'reads', probes, localIndex);
    await tryAll(operations, 'replaces', probes, localIndex);
    const isCopyGone = await tryCopy(localIndex);
    if (signal.aborted) {
      return;
    }
    // Clean-up removes objects even if no stage does, so the run needs the permission.
    const removed = await tryRemoval(localIndex);
    const isGone = removed.some(({ error }) => error === null || error.kind === NOT_FOUND);
    if (isCopyGone && isGone && !outcomeUnknown) {
      run.probes.delete(index);
    }
  };

  /** Looks for an object that an earlier run should have written. Resolves to the operations that were tried on it. */
  const tryKeptObject = async () => {
    const indices = indicesHere(Math.min(objects.count, PREFLIGHT_PROBES), kept);
    // Listed objects are in order, and a list that begins at the first key does not show whether the store honours a start.
    const localIndex = (run.listed ? indices.at(-1) : indices[0]) ?? -1;
    const size = localIndex < 0 ? 0 : kept.sizeOf(indexOf(localIndex));
    const readable = operations.filter(
      ({ effect, preflight: { maxObjectBytes } }) => effect === 'reads' && size <= maxObjectBytes,
    );
    /** @type {Set<Operation>} */
    const tried = new Set(localIndex >= 0 && !signal.aborted ? readable : []);
    if (localIndex >= 0) {
      const answers = await tryAll(readable, 'reads', kept, localIndex);
      if (!run.listed && answers.some(({ error }) => error?.kind === NOT_FOUND)) {
        missing.add(`${bucket}/${run.keyspace.keyOf(indexOf(localIndex))}`);
      }
      const wrong = answers.find(({ mismatch }) => mismatch !== null)?.mismatch;
      if (wrong && !run.listed) {
        dialect.add(
          `An object of run ${objects.runId} is wrong: ${wrong.message}; check that --size is as in that run`,
        );
      }
    }
    const [probe = -1] = indicesHere(PREFLIGHT_PROBES, probes);
    if (ofStages.length > 0 && probe >= 0 && !signal.aborted && (await hooks.mayWrite())) {
      // There is no probe to remove. In a versioned bucket, this leaves a delete marker, which clean-up can find.
      await tryAll(operations, 'removes', probes, probe);
    }
    return tried;
  };

  const { error, attempts } = await requestAbsentObject({ run, maxAttempts: MAX_ATTEMPTS, signal }, connection, bucket);
  run.requests.preflight += attempts;
  if (error === null && !signal.aborted) {
    const message = 'is no S3 store: it has an object that cannot exist';
    findings.add(FIRST_ACTION, bucket, new AttemptError({ kind: NO_STORE, handling: 'stop', message }));
    return;
  }
  const isRefused = error !== null && error.kind !== NOT_FOUND;
  // Without permission to list, some stores respond "forbidden" for absent objects, so try the run's operations.
  const isInDoubt = error?.code === 'AccessDenied' && load.stages.length > 0;
  if (isRefused && !isInDoubt) {
    findings.add(FIRST_ACTION, bucket, error);
    return;
  }
  if (!isRefused) {
    hooks.reached();
  }
  if (run.wroteObjects) {
    await tryProbe();
    return;
  }
  const tried = await tryKeptObject();
  if (isRefused) {
    operations
      .filter((operation) => operation.receives && !tried.has(operation))
      .forEach(({ name }) => findings.add(name, bucket, error));
  }
}

/** Errors of the store. Each error is reported once, with all operations and buckets in which it occurred. */
class Findings {
  /** @type {{ error: AttemptError, actions: Set<string>, buckets: Set<string> }[]} */
  #findings = [];

  /**
   * @param {string} action
   * @param {string} bucket
   * @param {AttemptError} error
   */
  add(action, bucket, error) {
    let finding = this.#findings.find((other) => isSameAnswer(other.error, error));
    if (finding === undefined) {
      finding = { error, actions: new Set(), buckets: new Set() };
      this.#findings.push(finding);
    }
    finding.actions.add(action);
    finding.buckets.add(bucket);
  }

  get isTransient() {
    return this.#findings.length > 0 && this.#findings.every(({ error }) => isTransient(error));
  }

  /**
   * @param {StoreConfig} store
   * @param {number} now epoch ms
   * @returns {string[]} one line each
   */
  lines(store, now) {
    return this.#findings.map(({ error, actions, buckets }) =>
      explainError(error, {
        store,
        action: listOf([...actions]),
        buckets: store.buckets.filter((bucket) => buckets.has(bucket)),
        now,
      }),
    );
  }
}

/**
 * @param {AttemptError} one
 * @param {AttemptError} other
 */
function isSameAnswer(one, other) {
  // A HEAD response has no body, so it carries a status but no error code.
  const saysLess = one.status === other.status && (one.code === '' || other.code === '');
  return one.kind === other.kind && (one.message === other.message || saysLess);
}
