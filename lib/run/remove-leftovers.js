import { cleanUpRun } from '../cleanup/clean-up-run.js';
import { STAGES, operationsOfRun } from '../operations/registry.js';
import { counted } from '../text/figures.js';
import { isInShard, isOfShard } from '../workload/shard.js';
import { UnlistedObjects } from '../workload/unlisted-objects.js';

/**
 * @import { OwnKey } from '../workload/keyspace.js'
 * @import { Session } from './session.js'
 */

const REMOVING_STAGES = new Set(STAGES.filter(({ removes }) => removes).map(({ name }) => name));

/**
 * Removes what the run left behind. A response to a deletion does not prove that the object is gone, so the store's
 * lists are checked even if the run removed everything that it wrote.
 *
 * @param {Session} session
 */
export async function removeLeftovers({ config, run, checks, result, observer }) {
  const { store, objects, load } = config;
  const { keep, shard } = objects;
  const { timeout, multipart } = load;
  const { clock, random, keyspace, written, wroteObjects, probes, versioned, requests } = run;
  const { stages, crash, problems } = result;
  // After a crash, the counts of the stage are not reliable.
  const isUncertain = crash !== null || stages.some(({ unknownOutcomes }) => unknownOutcomes > 0);
  // Before the run is allowed to write, nothing in the buckets belongs to it.
  const mayRemove = checks.mayHaveWritten && !keep;
  const isLeft = mayRemove && wroteObjects && (written.count > 0 || isUncertain);
  // With versioning, removed objects are still stored.
  const hasVersions = versioned.size > 0 && checks.mayHaveWritten;
  // Copies are not counted, and no stage removes them.
  const ownsCopies = mayRemove && operationsOfRun(load).some(({ copies }) => copies);
  const hasRemovedAll = stages.some(({ stage, end }) => REMOVING_STAGES.has(stage) && end === 'complete');
  // The store's lists prove that nothing is left. The embedded endpoint needs no proof, because it ends with the run.
  // Without permission to list, no proof is possible; a notice has already reported this. A refused run (because of a
  // missing bucket, for instance) has already removed its probes.
  const canProve = !store.isEmbedded && checks.mayList && problems.length === 0;
  const ownsObjects = isLeft || ((hasVersions || canProve) && mayRemove && (wroteObjects || hasRemovedAll));
  // If the response to a create-upload request was lost, only the store knows the upload's ID.
  const mayHaveUploads = checks.mayHaveWritten && multipart !== undefined;
  const areUploadsAll = !ownsObjects && !ownsCopies && probes.size === 0 && !hasVersions;
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
    ownsUpload: mayHaveUploads ? isOurs : null,
    areUploadsAll,
    versioned,
    requests,
    onProgress: (progress) => observer.cleanupProgress(progress),
  });
  const { removed, left, misplaced } = result.cleanup;
  const shown = removed + Math.max(left - misplaced, 0);
  const isConfirmed =
    !(isLeft || outcomeUnknown || ownsCopies || hasVersions) &&
    stages.every(({ failed, integrityErrors }) => failed + integrityErrors === 0);
  if (isConfirmed && shown > 0) {
    result.isTransient ||= problems.length === 0;
    problems.push(
      `the store confirmed that all objects of the run had been deleted, but still listed ${counted(shown, 'object')}`,
    );
  }
}
