import assert from 'node:assert/strict';
import { test } from 'node:test';
import { write } from '../../lib/load/operations/write.js';
import { MAX_VIEW_BYTES } from '../../lib/load/workload/payload.js';
import { prepareOperation } from '../helpers/stage-operation.js';

/** @import { FakeRequest } from '../helpers/fake-store.js' */

test('Write puts the object’s payload under its key and keeps the digest of its ETag', async () => {
  /** @type {FakeRequest[]} */
  const requests = [];
  const { operation, workload } = prepareOperation(write, {
    answer: (request) => {
      requests.push(request);
      request.connection.reply.etagDigest = 4711;
    },
  });
  await write.attempt(operation);
  const [{ method, bucket, key, body }] = requests;
  assert.deepEqual([method, bucket, key], ['put', operation.bucket, operation.key]);
  assert.ok(Buffer.isBuffer(body));
  assert.deepEqual(body, workload.payload.view(operation.index, 0, operation.size));
  assert.ok(workload.ledger.matches(operation.index, 4711));
  assert.equal(workload.ledger.count, 1);
});

test('a large object is sent in pieces that add up to its exact size', async () => {
  const size = 2 * MAX_VIEW_BYTES + 3;
  let bytes = 0;
  const { operation } = prepareOperation(write, {
    size,
    answer: ({ body }) => {
      for (const piece of /** @type {Iterable<Buffer>} */ (body)) {
        bytes += piece.length;
      }
    },
  });
  await write.attempt(operation);
  assert.equal(bytes, size);
});
