import { AttemptError } from '../s3/s3-error.js';
import { IntegrityError } from './operation.js';

/**
 * @import { ListedObjects } from '../workload/listed-objects.js'
 * @import { ListedVerifier } from '../workload/listed-verifier.js'
 * @import { Operation } from './operation.js'
 * @import { OperationRecord } from './operation-record.js'
 */

// What operations have in common on objects that were there before the run, of which it knows what the list said.

/** The kind of error of an operation on an object that is another one by now. */
export const CHANGED = 'changed';

/** Where the store encrypts with a key of its own management service, no ETag is an MD5. */
const KEY_MANAGEMENT = /^aws:kms/;

/**
 * @param {Operation} operation
 * @returns {Operation} the same for objects that were there before the run
 */
export function onExisting(operation) {
  const { attemptExisting } = operation;
  if (attemptExisting === undefined) {
    throw new RangeError(`expected an operation that reads what is there, got ${operation.name}`);
  }
  return Object.freeze({ ...operation, attempt: attemptExisting });
}

/**
 * @param {OperationRecord} record
 * @returns {ListedObjects}
 */
export function listedOf({ workload: { listed } }) {
  return /** @type {ListedObjects} */ (listed);
}

/**
 * @param {OperationRecord} record
 * @returns {ListedVerifier}
 */
export function verifierOf({ sink }) {
  return /** @type {ListedVerifier} */ (/** @type {unknown} */ (sink));
}

/**
 * Others may write to the bucket while it is measured: an object with another ETag is another object.
 *
 * @param {OperationRecord} record whose answer has come
 * @throws {AttemptError}
 */
export function refuseChanged(record) {
  const { etagDigest } = record.connection.reply;
  const listed = listedOf(record).etagDigestOf(record.index);
  if (etagDigest !== 0 && listed !== 0 && etagDigest !== listed) {
    throw changedError('the ETag is another one');
  }
}

/**
 * @param {OperationRecord} record whose ETag is the one that was listed, or that has none
 * @param {number} size bytes that the answer has, or says that the object has; -1 where it does not say
 * @param {number} expected bytes
 * @throws {AttemptError | IntegrityError}
 */
export function checkSize(record, size, expected) {
  if (size === expected) {
    return;
  }
  if (record.connection.reply.etagDigest === 0) {
    throw changedError('the size is another one');
  }
  throw new IntegrityError(record, `the size is ${size} bytes, ${expected} were listed with the same ETag`);
}

/**
 * Checks the bytes by their MD5, as far as the ETag is one. That it looks like one proves nothing: a store may make its ETags in
 * another way. So a difference is an error only in a bucket in which another object has matched; until then, and with keys of a
 * key management service, the bytes are checked by their number alone.
 *
 * @param {OperationRecord} record whose body has come, with the number of bytes that were listed
 * @throws {IntegrityError}
 */
export function checkMd5(record) {
  const listed = listedOf(record);
  const matches = verifierOf(record).matches();
  record.isSizeOnly = matches !== true;
  if (matches) {
    listed.proveMd5(record.slot);
  } else if (matches === false && listed.provesMd5(record.slot) && !KEY_MANAGEMENT.test(encryptionOf(record))) {
    throw new IntegrityError(record, 'the bytes do not have the MD5 that the ETag names');
  }
}

/** @param {OperationRecord} record */
function encryptionOf({ connection: { reply } }) {
  return reply.encryption ?? '';
}

/** @param {string} message what is another than was listed */
export function changedError(message) {
  return new AttemptError({ kind: CHANGED, handling: 'fail', message: `changed since it was listed: ${message}` });
}
