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

// What attempts at objects that are written again have in common: see ObjectVersions for the rule.

/** By this the store refuses a request before it does anything. */
const TOO_MANY_REQUESTS = 429;

/**
 * @param {OperationRecord} record of a mixed load
 * @returns {MixedObjects}
 */
export function mixedOf({ workload }) {
  return /** @type {MixedObjects} */ (workload.mixed);
}

/**
 * Sends a change of the object. Where it may have been carried out although no answer says so, that is noted.
 *
 * @param {S3Call} call
 * @param {OperationRecord} record
 */
export async function sendChange(call, record) {
  try {
    await record.connection.send(call, record);
  } catch (error) {
    noteDoubt(record, error);
    throw error;
  }
}

/**
 * @param {OperationRecord} record of a change
 * @param {unknown} error of an attempt at it
 */
export function noteDoubt(record, error) {
  if (mayBeCarriedOut(error)) {
    mixedOf(record).versions.doubt(record.localIndex, record.state);
  }
}

/**
 * @param {unknown} error of an attempt
 * @returns {boolean} no answer, or a server's error, excludes it; a definite refusal does
 */
function mayBeCarriedOut(error) {
  if (!(error instanceof AttemptError)) {
    return true;
  }
  const { status, outcomeUnknown } = error;
  return status >= 500 || (outcomeUnknown && status !== TOO_MANY_REQUESTS);
}

/**
 * Sends what reads the object, which need not be there.
 *
 * @param {S3Call} call
 * @param {OperationRecord} record
 * @returns {Promise<number>} the lowest state that may be read; -1 where there is no object, which is right
 * @throws {IntegrityError} where there should be one
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
 * @param {OperationRecord} record of a read that has not found the object; from now on it is one of no bytes
 * @param {number} lowest state that might be read
 * @throws {IntegrityError} where there should be one
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
    const since = `version ${versionOf(lowest)} had been there before the request was sent`;
    throw new IntegrityError(record, `the store does not find the object, and ${since}`, 'stale');
  }
  if (verdict === 'allowed') {
    versions.hasMissed(localIndex, lowest, highest);
  }
  record.size = 0;
}

/**
 * Ends the check of a body that has come.
 *
 * @param {OperationRecord} record
 * @param {number} lowest state that might be read
 * @param {string} what the body is, for the user
 * @throws {IntegrityError} where it is not of a version that may be read
 */
export function checkBody(record, lowest, what) {
  const sink = /** @type {VersionVerifier} */ (record.sink);
  const verdict = sink.end();
  if (verdict === 'another length') {
    const lengths = `${sink.received} bytes came, ${record.size} were expected`;
    throw new IntegrityError(record, `${what} first differs at offset ${sink.mismatch} (${lengths})`);
  }
  if (verdict === 'torn') {
    throw new IntegrityError(record, `${what} is torn: from offset ${sink.mismatch} on it fits no version`, 'torn');
  }
  if (verdict === 'stale' && isOldCopy(record, () => sink.version)) {
    return;
  }
  refuseVersion(record, { verdict, version: sink.version }, lowest, what);
}

/**
 * A cache in front of the store may serve what was replaced: that is no error of the store.
 *
 * @param {OperationRecord} record of an answer that is older than it may be
 * @param {(changes: ChangeLog) => number} versionIn finds the version that came; -1 where it is none that there was
 * @returns {boolean} whether it is a version of which the cache had a copy
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
 * @param {{ verdict: Verdict, version: number }} judged of a whole body
 * @param {number} lowest state that might be read
 * @param {string} what the body is, for the user
 * @throws {IntegrityError} where it is not of a version that may be read
 */
export function refuseVersion(record, { verdict, version }, lowest, what) {
  if (verdict === 'stale' || verdict === 'foreign') {
    throw new IntegrityError(record, `${what} is ${verdict}: ${history(version, verdict, lowest)}`, verdict);
  }
}

/**
 * The ETag shows the version where it is the only one that may be read, and the store has named its ETag before.
 *
 * @param {OperationRecord} record whose answer has just come
 * @param {number} etagDigest of the answer
 * @param {number} lowest state that might be read
 * @param {string} whose ETag it is, for the user
 * @throws {IntegrityError} where it is that of another version
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
    throw new IntegrityError(record, 'the object is there, and was removed before the request was sent', 'stale');
  }
  const known = etags.of(localIndex, lowest);
  const digest = etagDigest || NO_ETAG;
  if (known !== null && digest !== known.digest && !isOldCopy(record, versionIn)) {
    const verdict = digest === known.before ? 'stale' : 'foreign';
    const shown = `version ${versionOf(lowest)}, which alone was there, has another one`;
    throw new IntegrityError(record, `the ETag ${whose} is ${verdict}: ${shown}`, verdict);
  }
}

/**
 * @param {number} version that came
 * @param {'stale' | 'foreign'} verdict
 * @param {number} lowest state
 */
function history(version, verdict, lowest) {
  return verdict === 'stale'
    ? `version ${version} came, and version ${versionOf(lowest)} had been there before the request was sent`
    : `version ${version} came, which had not been written, or was refused`;
}
