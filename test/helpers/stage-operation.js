import { Operation } from '../../lib/engine/operation.js';
import { fakeEngine } from './fake-store.js';

/** @import { Stage } from '../../lib/operations/operation.js' */

/**
 * One attempt of a stage at one object, over a store that a test plays.
 *
 * @param {Stage} stage
 * @param {object} options
 * @param {Parameters<typeof fakeEngine>[0]['answer']} options.answer
 * @param {number} [options.index]
 * @param {number} [options.size] bytes
 * @param {number} [options.attempts] made, this one included
 * @param {boolean} [options.wroteObjects]
 * @param {number} [options.digest] of the ETag that the write was answered with; 0: it was not written
 */
export function prepareOperation(stage, { answer, index = 3, size = 16, attempts = 1, ...choice }) {
  const { wroteObjects = true, digest = 0 } = choice;
  const { workload, connections } = fakeEngine({ answer, wroteObjects, threads: 1 });
  if (digest !== 0) {
    workload.written.add(index, digest);
  }
  const operation = new Operation(stage, workload, connections[0], size);
  operation.take(index);
  operation.attempts = attempts;
  return { operation, workload, place: `${operation.bucket}/${operation.key}` };
}
