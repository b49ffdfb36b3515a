import { withBucketAccess } from './cleanup/bucket-access.js';
import { cleanUpRun, lookThrough } from './cleanup/cleanup.js';
import { runPool } from '../load/run-pool.js';
import { OperationRecord } from '../load/operations/operation-record.js';
import { read } from '../load/operations/read.js';
import { STAGES } from '../load/operations/registry.js';
import { sendControlRequest } from './preflight/control-request.js';
import { asAttemptError } from '../store/s3-error.js';
import { isInShard, isOfShard } from '../load/workload/keyspace.js';

/**
 * @import { BucketAccess } from './cleanup/bucket-access.js'
 * @import { Stage } from '../load/operations/stage.js'
 * @import { OwnKey } from '../load/workload/keyspace.js'
 * @import { Session } from './session.js'
 */

// After the stages: compares what the store confirmed with what it has, removes the rest with cleanup/cleanup.js, and the
// run's marker last. The command `cleanup` is cli/cleanup.js.

const REMOVING_STAGES = new Set(STAGES.filter(({ removes }) => removes).map(({ name }) => name));

/** Copies of which every byte is read, unless they are so large that fewer are this many bytes. */
const MAX_COPIES_READ = 100;
const MAX_BYTES_READ = 2 ** 30;

const MAX_ATTEMPTS = 4;

/**
 * Before anything is removed, lists the keys that no read, stat or list has shown: the deletion of a key that was never
 * stored succeeds, and would hide the loss.
 *
 * @param {Stage} stage that is about to run
 * @param {Session} session
 */
export async function proveWrites({ kinds }, session) {
  const { config, run, checks, phases } = session;
  const removes = kinds.some(({ operation }) => operation.removes);
  if (!removes || config.store.isEmbedded || !run.reconciliation.hasUnproven || !checks.mayList) {
    return;
  }
  await phases.during('listing what was written', () =>
    compareWithLists(session, (access) => run.reconciliation.settleUnproven(access), 'the store has what it confirmed'),
  );
}

/** Leaves the buckets as they were. @param {Session} session */
export async function cleanUpAfterRun(session) {
  await compareAndRemove(session);
  const { run, checks, result } = session;
  const { marker } = checks;
  // Clean-up removes the marker from a versioned bucket.
  if (!marker.isPlaced || (run.versioned.size > 0 && checks.mayHaveWritten)) {
    return;
  }
  // If clean-up has failed, the store may be gone.
  const maxAttempts = (result.cleanup?.left ?? 0) < 0 ? 1 : undefined;
  const access = { ...accessOf(session), timeout: 0, maxAttempts };
  const problem = await withBucketAccess(access, (means) => marker.remove(means));
  if (problem !== null) {
    result.isTransient ||= result.problems.length === 0;
    result.problems.push(problem);
    result.existing ??= { readable: null };
  }
}

/**
 * Compares what the store confirmed with what it has, and removes what the run left behind. No answer of a store proves
 * what its lists do not show, so they are checked even if the run removed everything that it wrote.
 *
 * @param {Session} session
 */
async function compareAndRemove(session) {
  const { config, run, checks, result, observer, signal } = session;
  const { store, objects, load } = config;
  const { wroteObjects, probes, versioned, reconciliation } = run;
  const { stages, crash, problems } = result;
  // Before the run is allowed to write, nothing in the buckets belongs to it.
  if (!checks.mayHaveWritten) {
    return;
  }
  const wrongCopies = signal.aborted || crash !== null ? [] : await checkCopies(session);
  const isUncertain =
    crash !== null || reconciliation.hasDoubts || stages.some(({ unknownOutcomes }) => unknownOutcomes > 0);
  const hasRemovedAll = stages.some(({ stage, end }) => REMOVING_STAGES.has(stage) && end === 'complete');
  const isLeft = wroteObjects && (isUncertain || reconciliation.mayHaveLeft);
  // Without permission to list, no proof is possible; a notice has already reported this. A refused run (because of a
  // missing bucket, for instance) has already removed its probes. The embedded endpoint ends with the run. With
  // versioning, removed objects are still stored.
  const canProve = (!store.isEmbedded && checks.mayList && problems.length === 0) || versioned.size > 0;
  const ownsObjects = !objects.keep && (isLeft || (canProve && (wroteObjects || hasRemovedAll)));
  // If the response to a create-upload request was lost, only the store knows the upload's ID.
  const mayHaveUploads = load.multipart !== undefined;
  if (objects.keep && wroteObjects && canProve && crash === null) {
    await compareWithLists(session, (access) => reconciliation.settleUnlisted(access), 'all objects were kept');
  }
  const areUploadsAll = !ownsObjects && probes.size === 0 && versioned.size === 0;
  if (!areUploadsAll || mayHaveUploads) {
    const { owns: isOurs } = scopeOf(session);
    result.cleanup = await cleanUpRun({
      ...accessOf(session),
      keyspace: run.keyspace,
      owns: areUploadsAll ? null : (own) => isOurs(own) && (own.isProbe || ownsObjects),
      // After a crash, it is unknown which answers were lost.
      reconciliation: ownsObjects && crash === null ? reconciliation : null,
      outcomeUnknown: isUncertain || probes.size > 0,
      ownsUpload: mayHaveUploads ? isOurs : null,
      versioned,
      onProgress: (progress) => observer.cleanupProgress(progress),
    });
  }
  const fate = objects.keep ? '' : '; they were deleted by key';
  const sentences = [...reconciliation.sentences(fate), ...wrongCopies, ...session.unproven];
  result.isTransient ||= problems.length === 0 && sentences.length > 0;
  problems.push(...sentences);
}

/**
 * Shows the lists to the run's ledgers, without removing anything.
 *
 * @param {Session} session
 * @param {(access: BucketAccess) => Promise<unknown>} settle
 * @param {string} what is unknown if the lists fail
 */
async function compareWithLists(session, settle, what) {
  try {
    await withBucketAccess({ ...accessOf(session), signal: session.signal }, (access) =>
      lookThrough({ ...access, ...scopeOf(session) }, () => settle(access)),
    );
  } catch (error) {
    const { message } = asAttemptError(error);
    if (!session.signal.aborted) {
      session.unproven.push(`whether ${what} is unknown, because listing failed: ${message}`);
    }
  }
}

/**
 * @param {Session} session
 * @returns {{ keyspace: Session['run']['keyspace'], reconciliation: Session['run']['reconciliation'],
 *   owns: (own: OwnKey) => boolean }} what of the buckets belongs to this host
 */
function scopeOf({ config, run, checks: { marker } }) {
  const { shard } = config.objects;
  return {
    keyspace: run.keyspace,
    reconciliation: run.reconciliation,
    owns: (own) =>
      own.isProbe
        ? isOfShard(shard, own.index) && (run.versioned.size > 0 || !marker.is(own))
        : isInShard(shard, own.index, run.indexCount),
  };
}

/** @param {Session} session */
function accessOf({ config, run }) {
  return { run, timeout: config.load.timeout };
}

/**
 * Reads some of the copies as any object, after the stages.
 *
 * @param {Session} session
 * @returns {Promise<string[]>} a sentence if some have other bytes than their objects
 */
async function checkCopies({ config, run, signal }) {
  const { keyspace, payload, copies, sizeOf, amounts, controlConnections } = run;
  if (copies === null || copies.count === 0 || sizeOf === null) {
    return [];
  }
  const { shard, size } = config.objects;
  // Any version counts: a mix may have copied any.
  const workload = { keyspace: keyspace.copies, payload, ledger: copies, shard, amounts, sizeOf, wroteObjects: false };
  const most = Math.max(1, Math.min(MAX_COPIES_READ, Math.floor(MAX_BYTES_READ / size)));
  const sample = run.reconciliation.someCopies(most);
  /** @type {string[]} */
  const wrong = [];
  let [next, count] = [0, 0];
  await runPool({
    threads: controlConnections.map((connection) => new OperationRecord(read, workload, connection)),
    claim: () => (next < sample.length && !signal.aborted ? next++ : -1),
    async work(record, position) {
      record.take(0, read, sample[position]);
      const answer = await sendControlRequest({ run, maxAttempts: MAX_ATTEMPTS, signal }, record);
      run.requests.cleanup += answer.attempts;
      if (answer.error?.status === 0) {
        // Clean-up, which is bounded, should not wait for a store that no longer answers.
        next = sample.length;
      }
      count += Number(answer.error === null);
      if (answer.mismatch !== null) {
        wrong.push(answer.mismatch.message);
      }
    },
  });
  return wrong.length === 0 ? [] : [`of ${count} copies that were read, ${wrong.length} had other bytes: ${wrong[0]}`];
}
