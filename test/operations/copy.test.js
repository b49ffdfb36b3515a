import assert from 'node:assert/strict';
import { test } from 'node:test';
import { copy } from '../../lib/operations/copy.js';
import { NO_ETAG } from '../../lib/operations/no-etag.js';
import { prepareOperation } from '../helpers/stage-operation.js';

/**
 * @param {number} etagDigest that the store answers with
 * @param {number} [digest] that the write was answered with
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

test('Copy asks for a copy in the same bucket under a second key of the run, as often as it is attempted', async () => {
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
  assert.deepEqual([workload.written.count, operation.isWrite, operation.size], [1, true, 16]);
});

test('another ETag than that of the object is an integrity error', async () => {
  const { attempt, operation } = copying(4712);
  await assert.rejects(attempt(), { name: 'IntegrityError', message: /: the ETag of the copy is not the one that/ });
  assert.match(operation.key, /-copy-3$/);
});

test('where the write was answered without an ETag, that of the copy shows nothing', async () => {
  await copying(4712, NO_ETAG).attempt();
});

test('an answer without an ETag is no copy, and may have been one', async () => {
  await assert.rejects(copying(0).attempt(), { kind: 'protocol', handling: 'retry', outcomeUnknown: true });
});
