import { AttemptError, NOT_FOUND, isKind } from '../../store/s3-error.js';
import { isAbsent, mayBeAbsent, stateOf, versionOf } from '../workload/mixed-objects.js';
import { IntegrityError, refuseMismatch } from './operation.js';

/**
 * @import { S3Call } from '../../store/s3-calls.js'
 * @import { ListedObjects } from '../workload/listed-objects.js'
 * @import { MixedObjects } from '../workload/mixed-objects.js'
 * @import { VersionVerifier } from '../workload/payload.js'
 * @import { OperationRecord } from './operation-record.js'
 */

// Shared by attempts on rewritten objects. MixedObjects explains which versions may be read.

/** @param {OperationRecord} record of a mixed load */
export function mixedOf({ workload }) {
  return /** @type {MixedObjects} */ (workload.mixed);
}

/** The lowest state that a read sent from now on may return. @param {OperationRecord} record */
export function lowestOf(record) {
  return mixedOf(record).lastAnswered(record.localIndex);
}

/**
 * Sends a request that reads the object, which may not exist.
 *
 * @param {S3Call} call
 * @param {OperationRecord} record its size becomes 0 if the object is rightly absent
 * @param {number} lowest state that may be read
 * @returns {Promise<boolean>} whether the object was found
 * @throws {IntegrityError} if the object should exist
 */
export async function findsObject(call, record, lowest) {
  try {
    await record.connection.send(call, record);
    return true;
  } catch (error) {
    if (!isKind(error, NOT_FOUND)) {
      throw error;
    }
    const highest = mixedOf(record).lastBegun(record.localIndex);
    // A cache cannot have stored the absence of an object that was never changed.
    if (!mayBeAbsent(lowest, highest) && !(versionOf(lowest) > 0 && isOldCopy(record))) {
      const since = `version ${versionOf(lowest)} existed before the request was sent`;
      throw new IntegrityError(record, `the store does not find the object, but ${since}`, 'stale');
    }
    record.size = 0;
    return false;
  }
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
  const mismatch = sink.end();
  if (sink.received !== record.size) {
    refuseMismatch(record, what, mismatch);
  }
  if (mismatch >= 0) {
    throw new IntegrityError(record, `${what} is torn: from offset ${mismatch} on, it matches no version`, 'torn');
  }
  if (record.size > 0 && stateOf(sink.version) < lowest && !isOldCopy(record)) {
    const since = isAbsent(lowest) ? 'the object was removed' : `version ${versionOf(lowest)} existed`;
    const shown = `got version ${sink.version}, but ${since} before the request was sent`;
    throw new IntegrityError(record, `${what} is stale: ${shown}`, 'stale');
  }
}

/**
 * Checks the version by its ETag, if only one version may be read and its ETag is known.
 *
 * @param {OperationRecord} record whose response has just arrived
 * @param {number} lowest state that may be read
 * @throws {IntegrityError} if the ETag belongs to another version
 */
export function checkEtag(record, lowest) {
  const { connection, localIndex, workload } = record;
  // Compare first: if no change has begun after that, the ETag belongs to the only version.
  const isKnown = workload.ledger.matches(localIndex, connection.reply.etagDigest);
  if (lowest !== mixedOf(record).lastBegun(localIndex)) {
    return;
  }
  if (isAbsent(lowest) && !isOldCopy(record)) {
    throw new IntegrityError(record, 'the object exists, but it was removed before the request was sent', 'stale');
  }
  if (!isAbsent(lowest) && !isKnown && !isOldCopy(record)) {
    const shown = `only version ${versionOf(lowest)} existed, and its ETag differs`;
    throw new IntegrityError(record, `the ETag of the object is foreign: ${shown}`, 'foreign');
  }
}

/**
 * A cache may serve an outdated version, which is not an error of the store.
 *
 * @param {OperationRecord} record of a response with an outdated version
 */
function isOldCopy(record) {
  record.isStale = record.connection.reply.isCopy === true;
  return record.isStale;
}

// Shared by operations on existing objects, of which only the list entries are known.

/** The error kind of an operation that finds changes since the objects were listed. */
export const CHANGED = 'changed';

/** @param {OperationRecord} record */
export function listedOf({ workload: { listed } }) {
  return /** @type {ListedObjects} */ (listed);
}

/**
 * Other clients may write to the bucket during the run: a different ETag means that the object was replaced.
 *
 * @param {OperationRecord} record whose response has arrived
 * @throws {AttemptError}
 */
export function refuseChanged(record) {
  const { etagDigest } = record.connection.reply;
  const listed = listedOf(record).etagDigestOf(record.index);
  if (etagDigest !== 0 && listed !== 0 && etagDigest !== listed) {
    throw changedError('the ETag differs');
  }
}

/**
 * @param {OperationRecord} record whose response has the listed ETag, or no ETag
 * @param {number} size bytes of the received body, or the size that the response states; -1 if unknown
 * @param {number} expected bytes
 * @throws {AttemptError | IntegrityError}
 */
export function checkSize(record, size, expected) {
  if (size === expected) {
    return;
  }
  if (record.connection.reply.etagDigest === 0) {
    throw changedError('the size differs');
  }
  throw new IntegrityError(record, `the size is ${size} bytes, but the list shows ${expected} with the same ETag`);
}

/** @param {string} message what differs from the list */
export function changedError(message) {
  return new AttemptError({ kind: CHANGED, handling: 'fail', message: `changed since it was listed: ${message}` });
}
