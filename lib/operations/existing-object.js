import { AttemptError } from '../s3/s3-error.js';
import { IntegrityError } from './operation.js';

/**
 * @import { ListedObjects } from '../workload/listed-objects.js'
 * @import { OperationRecord } from './operation-record.js'
 */

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
