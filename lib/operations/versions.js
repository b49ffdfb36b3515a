import { AttemptError, NOT_FOUND } from '../s3/s3-error.js';
import { isRemoval, versionOf } from '../workload/object-versions.js';
import { NO_ETAG } from './no-etag.js';
import { IntegrityError } from './operation.js';

/**
 * @import { S3Call } from '../s3/s3-calls.js'
 * @import { ChangeLog } from '../workload/change-log.js'
 * @import { MixedObjects } from '../workload/mixed-objects.js'
 * @import { Verdict } from '../workload/object-versions.js'
 * @import { VersionVerifier } from '../workload/version-verifier.js'
 * @import { OperationRecord } from './operation-record.js'
 */

// Shared by attempts on rewritten objects. ObjectVersions explains which versions may be read.

/** Status of a request that the store rejected without acting on it. */
const TOO_MANY_REQUESTS = 429;

/** @param {OperationRecord} record of a mixed load */
export function mixedOf({ workload }) {
  return /** @type {MixedObjects} */ (workload.mixed);
}

/**
 * Sends a change of the object. If an attempt fails, records that the change may have taken effect.
 *
 * @param {S3Call} call
 * @param {OperationRecord} record
 */
export async function sendChange(call, record) {
  try {
    await record.connection.send(call, record);
  } catch (error) {
    noteUncertainty(record, error);
    throw error;
  }
}

/**
 * @param {OperationRecord} record of a change
 * @param {unknown} error of an attempt to make the change
 */
export function noteUncertainty(record, error) {
  if (mayBeCarriedOut(error)) {
    mixedOf(record).versions.doubt(record.localIndex, record.state);
  }
}

/** Whether a change may have taken effect: only a definite refusal rules it out. @param {unknown} error */
function mayBeCarriedOut(error) {
  if (!(error instanceof AttemptError)) {
    return true;
  }
  const { status, outcomeUnknown } = error;
  return status >= 500 || (outcomeUnknown && status !== TOO_MANY_REQUESTS);
}

/**
 * Sends a request that reads the object, which may not exist.
 *
 * @param {S3Call} call
 * @param {OperationRecord} record
 * @returns {Promise<number>} the lowest state that may be read; -1 if the object was not found and may be absent
 * @throws {IntegrityError} if the object should exist
 */
export async function sendRead(call, record) {
  const { localIndex, connection } = record;
  const { versions } = mixedOf(record);
  const lowest = versions.lowest(localIndex);
  try {
    await connection.send(call, record);
    return lowest;
  } catch (error) {
    if (!(error instanceof AttemptError && error.kind === NOT_FOUND)) {
      throw error;
    }
    checkAbsence(record, lowest);
    return -1;
  }
}

/**
 * @param {OperationRecord} record of a read that did not find the object; its size becomes 0
 * @param {number} lowest state that may be read
 * @throws {IntegrityError} if the object should exist
 */
export function checkAbsence(record, lowest) {
  const { localIndex } = record;
  const { versions } = mixedOf(record);
  const highest = versions.highest(localIndex);
  const verdict = versions.judgeAbsence(localIndex, lowest, highest);
  if (verdict === 'stale' && isOldCopy(record, (changes) => changes.removalBefore(localIndex, versionOf(lowest)))) {
    record.size = 0;
    return;
  }
  if (verdict === 'stale') {
    const since = `version ${versionOf(lowest)} existed before the request was sent`;
    throw new IntegrityError(record, `the store does not find the object, but ${since}`, 'stale');
  }
  if (verdict === 'allowed') {
    versions.hasMissed(localIndex, lowest, highest);
  }
  record.size = 0;
}

/**
 * Completes the check of a received body.
 *
 * @param {OperationRecord} record
 * @param {number} lowest state that may be read
 * @param {string} what name of the body in messages
 * @throws {IntegrityError} if the body is wrong, or its version may not be read
 */
export function checkBody(record, lowest, what) {
  const sink = /** @type {VersionVerifier} */ (record.sink);
  const verdict = sink.end();
  if (verdict === 'another length') {
    const lengths = `received ${sink.received} bytes, expected ${record.size}`;
    throw new IntegrityError(record, `${what} first differs at offset ${sink.mismatch} (${lengths})`);
  }
  if (verdict === 'torn') {
    throw new IntegrityError(record, `${what} is torn: from offset ${sink.mismatch} on, it matches no version`, 'torn');
  }
  if (verdict === 'stale' && isOldCopy(record, () => sink.version)) {
    return;
  }
  refuseVersion(record, { verdict, version: sink.version }, lowest, what);
}

/**
 * A cache may serve an outdated version, which is not an error of the store.
 *
 * @param {OperationRecord} record of a response with an outdated version
 * @param {(changes: ChangeLog) => number} versionIn finds the received version; -1 if it never existed
 * @returns {boolean} whether the cache had a copy of that version
 */
function isOldCopy(record, versionIn) {
  const { changes } = mixedOf(record);
  if (changes === null || record.connection.reply.isCopy !== true) {
    return false;
  }
  record.oldVersion = versionIn(changes);
  return record.oldVersion >= 0;
}

/**
 * @param {OperationRecord} record
 * @param {{ verdict: Verdict, version: number }} judged the verdict on a whole body
 * @param {number} lowest state that may be read
 * @param {string} what name of the body in messages
 * @throws {IntegrityError} if the version may not be read
 */
export function refuseVersion(record, { verdict, version }, lowest, what) {
  if (verdict === 'stale' || verdict === 'foreign') {
    throw new IntegrityError(record, `${what} is ${verdict}: ${history(version, verdict, lowest)}`, verdict);
  }
}

/**
 * Checks the version by its ETag, if only one version may be read and its ETag is known.
 *
 * @param {OperationRecord} record whose response has just arrived
 * @param {number} etagDigest of the response
 * @param {number} lowest state that may be read
 * @param {string} whose name of the ETag's owner in messages
 * @throws {IntegrityError} if the ETag belongs to another version
 */
export function checkEtag(record, etagDigest, lowest, whose) {
  const { localIndex } = record;
  const { versions, etags } = mixedOf(record);
  if (lowest !== versions.highest(localIndex) || versions.hasNotes(localIndex)) {
    return;
  }
  const versionIn = (/** @type {ChangeLog} */ changes) => changes.versionWith(localIndex, etagDigest || NO_ETAG);
  if (isRemoval(lowest)) {
    if (isOldCopy(record, versionIn)) {
      return;
    }
    throw new IntegrityError(record, 'the object exists, but it was removed before the request was sent', 'stale');
  }
  const known = etags.of(localIndex, lowest);
  const digest = etagDigest || NO_ETAG;
  if (known !== null && digest !== known.digest && !isOldCopy(record, versionIn)) {
    const verdict = digest === known.before ? 'stale' : 'foreign';
    const shown = `only version ${versionOf(lowest)} existed, and its ETag differs`;
    throw new IntegrityError(record, `the ETag ${whose} is ${verdict}: ${shown}`, verdict);
  }
}

/**
 * @param {number} version that was received
 * @param {'stale' | 'foreign'} verdict
 * @param {number} lowest state
 */
function history(version, verdict, lowest) {
  return verdict === 'stale'
    ? `got version ${version}, but version ${versionOf(lowest)} existed before the request was sent`
    : `got version ${version}, which was never written or was refused`;
}
