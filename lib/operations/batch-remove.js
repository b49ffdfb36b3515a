import { plainText } from '../text/plain-text.js';
import { S3_CALLS } from '../s3/s3-calls.js';
import { AttemptError } from '../s3/s3-error.js';
import { globalIndex } from '../workload/shard.js';
import { IntegrityError, QUICK_PREFLIGHT, defineOperation } from './operation.js';

/** @import { OperationRecord } from './operation-record.js' */

/** Codes after which a key may be deleted by another attempt. A store that names none does not refuse for good. */
const TRANSIENT = new Set([
  ...['', 'InternalError', 'ServiceUnavailable', 'SlowDown', 'TooManyRequests', 'TooMuchConcurrency'],
  ...['OperationAborted', 'RequestTimeout'],
]);

/** A key from the store is shown up to so many characters. */
const MAX_KEY_LENGTH = 100;

/** Text of a store is no code where it looks otherwise. */
const CODE = /^[A-Za-z0-9.]{1,64}$/;

/**
 * Removes objects of one bucket by one request. The answer names each key that was deleted, and each that was not: a
 * request has succeeded where all of its keys were. A further attempt asks only for those that are left.
 */
export const batchRemove = defineOperation({
  name: 'batch-remove',
  call: S3_CALLS.DeleteObjects,
  effect: 'removes',
  needsObject: true,
  transfer: 'none',
  grouping: { size: 'batch', isByKey: false },
  billingClass: 'free',
  isDefaultStage: false,
  preflight: QUICK_PREFLIGHT,
  refuses: {
    findPeak: 'its requests take too many objects for the steps',
    ramp: 'its requests take too many objects for the steps',
    mix: 'the versions of the objects are told apart one by one',
  },
  async attempt(record) {
    const { connection, workload } = record;
    const pending = pendingKeys(record);
    record.input = { Delete: { Objects: Array.from(pending.keys(), (Key) => ({ Key })) } };
    await connection.send(this.call, record);
    const { Deleted = [], Errors = [] } = connection.reply.output;
    if (Deleted.length === 0 && Errors.length === 0) {
      throw new AttemptError({
        ...{ kind: 'protocol', handling: 'retry', outcomeUnknown: true },
        message: 'the answer does not say what became of the keys',
      });
    }
    const asked = pending.size;
    for (const { Key = '' } of Deleted) {
      const local = pending.get(Key);
      if (local === undefined) {
        throw new IntegrityError(
          record,
          `the answer says that ${shown(Key)} was deleted, which was not asked for, or twice`,
        );
      }
      workload.written.delete(local);
      pending.delete(Key);
    }
    refuseUndeleted(record, Errors, pending, asked);
  },
});

/**
 * @param {OperationRecord} record
 * @returns {Map<string, number>} the local index of each object that an earlier attempt has not removed, by its key
 */
function pendingKeys({ locals, workload: { keyspace, shard, written } }) {
  const left = locals.filter((local) => written.has(local));
  // Of objects that another run has written, and of a write without an answer, nothing is known.
  const indices = left.length === 0 ? locals : left;
  return new Map(Array.from(indices, (local) => [keyspace.keyOf(globalIndex(shard, local)), local]));
}

/**
 * @param {OperationRecord} record
 * @param {readonly { Key?: string, Code?: string }[]} errors
 * @param {ReadonlyMap<string, number>} pending what was not deleted
 * @param {number} asked keys that were to be deleted
 * @throws {AttemptError} where the store names such keys; the next attempt may succeed where none was refused for good
 */
function refuseUndeleted(record, errors, pending, asked) {
  if (errors.length > 0) {
    const [{ Key = '', Code = '' }] = errors;
    const mayRetry = errors.every((error) => TRANSIENT.has(codeOf(error)));
    throw new AttemptError({
      kind: 'not-deleted',
      handling: mayRetry ? 'retry' : 'fail',
      message: `${errors.length} of ${asked} keys were not deleted, ${shown(Key)} for one: ${plainText(codeOf({ Code })) || 'no reason is given'}`,
    });
  }
  const [unnamed] = pending.keys();
  if (unnamed !== undefined) {
    throw new IntegrityError(record, `the answer does not say what became of ${unnamed}`);
  }
}

/** @param {{ Code?: string }} error */
function codeOf({ Code = '' }) {
  return CODE.test(Code) ? Code : '';
}

/** @param {string} key from the store */
function shown(key) {
  return key === '' ? 'a key that is not named' : plainText(key, MAX_KEY_LENGTH);
}
