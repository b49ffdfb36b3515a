import { OperationRecord } from '../../lib/load/operations/operation-record.js';
import { fakeEngine } from './fake-store.js';

/**
 * @import { OperationAmounts } from '../../lib/result/config.js'
 * @import { Operation } from '../../lib/load/operations/operation.js'
 */

/**
 * An attempt of an operation on one object, on a store that the test simulates.
 *
 * @param {Operation} operation
 * @param {object} options
 * @param {Parameters<typeof fakeEngine>[0]['answer']} options.answer
 * @param {number} [options.index]
 * @param {number} [options.size] bytes
 * @param {number} [options.turn]
 * @param {Partial<OperationAmounts>} [options.amounts]
 * @param {number} [options.attempts] including this one
 * @param {boolean} [options.wroteObjects]
 * @param {number} [options.digest] of the ETag returned by the write; 0 if the object was not written
 */
export function prepareOperation(operation, { answer, index = 3, size = 16, attempts = 1, ...choice }) {
  const { wroteObjects = true, digest = 0, turn = 0, amounts = {} } = choice;
  const { workload, connections } = fakeEngine({ answer, wroteObjects, threads: 1 });
  if (digest !== 0) {
    workload.ledger.add(index, digest);
  }
  const given = { ...workload, sizeOf: () => size, amounts: { ...workload.amounts, ...amounts } };
  const record = new OperationRecord(operation, given, connections[0]);
  record.take(0, operation, index, turn);
  record.attempts = attempts;
  return { operation: record, workload, localIndex: `${record.bucket}/${record.key}` };
}
