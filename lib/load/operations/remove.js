import { S3_CALLS } from '../../store/s3-calls.js';
import { AttemptError, NOT_FOUND, isKind, unconfirmed } from '../../store/s3-error.js';
import { plainText } from '../../text/plain-text.js';
import { globalIndex } from '../workload/keyspace.js';
import { IntegrityError, QUICK_PREFLIGHT, defineOperation } from './operation.js';

/** @import { OperationRecord } from './operation-record.js' */

/** Enough to retry for over a second: R2 accepts one write per second per key, and a deletion may count as a write. */
const MAX_PREFLIGHT_ATTEMPTS = 7;

export const remove = defineOperation({
  name: 'remove',
  call: S3_CALLS.DeleteObject,
  effect: 'removes',
  needsObject: true,
  transfer: 'none',
  billingClass: 'free',
  isDefaultStage: true,
  preflight: { ...QUICK_PREFLIGHT, maxAttempts: MAX_PREFLIGHT_ATTEMPTS },
  async attempt(record) {
    const { connection, localIndex, attempts, state, workload } = record;
    const { mixed, ledger } = workload;
    try {
      await connection.send(this.call, record);
    } catch (error) {
      // Either an earlier attempt, whose response was lost, has removed the object, or in a mixed load, an earlier change
      // with an unknown outcome has removed it or did not create it.
      if (!(isKind(error, NOT_FOUND) && (attempts > 1 || mixed))) {
        throw error;
      }
    }
    ledger.delete(localIndex);
    mixed?.answer(localIndex, state);
  },
});

const MAX_KEY_LENGTH = 100;

/** Format of an error code. Any other text from a store is not shown. */
const CODE = /^[A-Za-z0-9.]{1,64}$/;

/**
 * Removes objects of one bucket with one request. The response lists each deleted key and each failed key. The request
 * succeeds if all keys were deleted; a retry requests only the remaining keys.
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
  preflight: { ...QUICK_PREFLIGHT, advice: 'if the store has no DeleteObjects, use the stage remove' },
  refuses: {
    findPeak: 'each request removes so many objects that the steps would run out of them',
    ramp: 'each request removes so many objects that the steps would run out of them',
    mix: 'a mix tracks the versions of each object separately',
  },
  async attempt(record) {
    const { connection, workload } = record;
    const pending = pendingKeys(record);
    record.input = { Delete: { Objects: [...pending.keys()].map((Key) => ({ Key })) } };
    await connection.send(this.call, record);
    const { Deleted = [], Errors = [] } = connection.reply.output;
    if (Deleted.length === 0 && Errors.length === 0) {
      throw unconfirmed('the response lists neither deleted keys nor errors');
    }
    const messageOfAll = `of ${pending.size} keys were not deleted`;
    for (const { Key = '' } of Deleted) {
      const local = pending.get(Key);
      if (local === undefined) {
        throw new IntegrityError(
          record,
          `the response lists ${shown(Key)} as deleted, but it was not requested, or is listed twice`,
        );
      }
      workload.ledger.delete(local);
      // In a replay, no other change of the object can have begun since this one.
      workload.mixed?.answer(local, workload.mixed.lastBegun(local));
      pending.delete(Key);
    }
    if (Errors.length > 0) {
      const first = `first: ${shown(Errors[0].Key)}): ${plainText(codeOf(Errors[0])) || 'no reason given'}`;
      throw new AttemptError({
        kind: 'not-deleted',
        handling: 'retry',
        message: `${Errors.length} ${messageOfAll} (${first}`,
      });
    }
    const [unnamed] = pending.keys();
    if (unnamed !== undefined) {
      throw new IntegrityError(record, `the response does not mention ${unnamed}`);
    }
  },
});

/**
 * @param {OperationRecord} record
 * @returns {Map<string, number>} the local index by key, for each object that no earlier attempt has removed
 */
function pendingKeys({ locals, workload: { keyspace, shard, ledger } }) {
  const left = locals.filter((local) => ledger.has(local));
  // Request all objects if none is known to exist: other runs wrote them, or the writes got no response.
  const keys = new Map();
  for (const local of left.length === 0 ? locals : left) {
    keys.set(keyspace.keyOf(globalIndex(shard, local)), local);
  }
  return keys;
}

/** @param {{ Code?: string }} error */
function codeOf({ Code = '' }) {
  return CODE.test(Code) ? Code : '';
}

/** @param {string} [key] from the store */
function shown(key = '') {
  return key === '' ? 'an unnamed key' : plainText(key, MAX_KEY_LENGTH);
}
