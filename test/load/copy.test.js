import assert from 'node:assert/strict';
import { test } from 'node:test';
import { copy } from '../../lib/load/operations/copy.js';
import { prepareOperation } from '../helpers/stage-operation.js';

/**
 * @param {number} etagDigest in the store's response
 * @param {number} [digest] in the response to the write
 */
function copying(etagDigest, digest = 4711) {
  /** @type {unknown[]} */
  const requests = [];
  const { operation, workload } = prepareOperation(copy, {
    digest,
    answer: ({ method, bucket, key, input, connection }) => {
      requests.push({ method, bucket, key, source: input?.CopySource });
      connection.reply.etagDigest = etagDigest;
    },
  });
  return { attempt: () => copy.attempt(operation), requests, operation, workload };
}

test('each attempt of Copy requests a copy in the same bucket under a second key of the run', async () => {
  const { attempt, requests, operation, workload } = copying(4711);
  const { keyspace } = workload;
  await attempt();
  await attempt();
  const { bucket, index } = operation;
  const request = {
    method: 'copy',
    bucket,
    key: keyspace.copyKeyOf(index),
    source: `/${bucket}/${keyspace.keyOf(index)}`,
  };
  assert.deepEqual(requests, [request, request]);
  assert.deepEqual([workload.ledger.count, operation.isWrite, operation.size], [1, true, 16]);
});

test('an ETag that differs from the object’s proves nothing', async () => {
  await copying(4712).attempt();
});

test('a response without an ETag does not count as a copy, but may have created one', async () => {
  await assert.rejects(copying(0).attempt(), { kind: 'protocol', handling: 'retry', outcomeUnknown: true });
});
