import { LATE_WRITES_MS } from '../cleanup/cleanup.js';
import { cleanUpRun } from '../cleanup/clean-up-run.js';
import { STAGES, operationsOfRun } from '../operations/registry.js';
import { counted } from '../text/figures.js';
import { isInShard, isOfShard } from '../workload/shard.js';
import { UnlistedObjects } from '../workload/unlisted-objects.js';
import { clientOf } from './run-client.js';

/**
 * @import { OwnKey } from '../workload/keyspace.js'
 * @import { Session } from './session.js'
 */

const REMOVING_STAGES = new Set(STAGES.filter(({ removes }) => removes).map(({ name }) => name));

/**
 * Removes what the run has left. The store's answers to deletions are not believed: a run that has removed all that it wrote
 * still looks at the store's lists.
 *
 * @param {Session} session
 */
export async function removeLeftovers({ config, run, checks, result, observer }) {
  const { store, objects, load } = config;
  const { keep, shard } = objects;
  const { timeout, multipart } = load;
  const { clock, random, keyspace, written, wroteObjects, probes, versioned, requests } = run;
  const { stages, crash, problems } = result;
  // A stage that broke off has no counts to go by.
  const isUncertain = crash !== null || stages.some(({ unknownOutcomes }) => unknownOutcomes > 0);
  // What was there before the run was allowed to write is not its own, whatever broke off.
  const mayRemove = checks.mayHaveWritten && !keep;
  const isLeft = mayRemove && wroteObjects && (written.count > 0 || isUncertain);
  // Where versions are kept, what was removed is still there.
  const hasVersions = versioned.size > 0 && checks.mayHaveWritten;
  // Nobody counts copies, which no stage removes.
  const ownsCopies = mayRemove && operationsOfRun(load).some(({ copies }) => copies);
  const hasRemovedAll = stages.some(({ stage, end }) => REMOVING_STAGES.has(stage) && end === 'complete');
  // The embedded endpoint ends with the run. Without permission to list, a notice has said that there is no proof. A run that
  // was refused, because a bucket is missing perhaps, has removed its probes.
  const canProve = !store.isEmbedded && checks.mayList && problems.length === 0;
  const ownsObjects = isLeft || ((hasVersions || canProve) && mayRemove && (wroteObjects || hasRemovedAll));
  // One whose creation was not answered has an id that nobody knows: only the store can tell that none is left.
  const mayHaveUploads = checks.mayHaveWritten && multipart !== undefined;
  const areUploadsAll = !ownsObjects && !ownsCopies && probes.size === 0 && run.slices === 0 && !hasVersions;
  if (areUploadsAll && !mayHaveUploads) {
    return;
  }
  const outcomeUnknown = isUncertain || probes.size > 0;
  const isOurs = (/** @type {OwnKey} */ { isProbe, index }) =>
    isProbe ? isOfShard(shard, index) : isInShard(shard, index, run.indexCount);
  const owns = (/** @type {OwnKey} */ own) => isOurs(own) && (own.isProbe || (own.isCopy ? ownsCopies : ownsObjects));
  result.cleanup = await cleanUpRun({
    keyspace,
    storeOptions: run.controlOptions,
    clock,
    random,
    timeout,
    owns,
    unlisted: isLeft ? new UnlistedObjects(written, shard, run.indexCount) : null,
    outcomeUnknown,
    lateWrites: LATE_WRITES_MS + clientOf(load).writesFor,
    ownsUpload: mayHaveUploads ? isOurs : null,
    areUploadsAll,
    versioned,
    requests,
    onProgress: (progress) => observer.cleanupProgress(progress),
  });
  const { removed, left, misplaced } = result.cleanup;
  const shown = removed + Math.max(left - misplaced, 0);
  const isConfirmed =
    !(isLeft || outcomeUnknown || ownsCopies || run.slices > 0 || hasVersions) &&
    stages.every(({ failed, integrityErrors }) => failed + integrityErrors === 0);
  if (isConfirmed && shown > 0) {
    result.mayPass ||= problems.length === 0;
    problems.push(
      `the store confirmed that all objects of the run were deleted, and then listed ${counted(shown, 'object')} of it`,
    );
  }
}
