import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineOperation } from '../../lib/load/operations/operation.js';
import { OperationRecord } from '../../lib/load/operations/operation-record.js';
import { OPERATIONS } from '../../lib/load/operations/registry.js';
import { fakeEngine } from '../helpers/fake-store.js';

test('a thread takes one object after another and gives the operation the data it needs for each', async () => {
  const { workload, connections } = fakeEngine({ answer: () => {} });
  /** @type {unknown[]} */
  const seen = [];
  const operation = defineOperation({
    ...OPERATIONS[0],
    async attempt({ index, bucket, key, size, connection }) {
      seen.push({ index, bucket, key, size, connection });
    },
  });
  const sizeOf = (/** @type {number} */ index) => 100 + index;
  const record = new OperationRecord(operation, { ...workload, sizeOf }, connections[0]);
  for (const index of [3, 0]) {
    record.take(0, operation, index);
    assert.equal(record.isWrite, true);
    await record.attempt();
  }
  const { keyspace } = workload;
  assert.deepEqual(
    seen,
    [3, 0].map((index) => ({
      index,
      bucket: keyspace.bucketOf(index),
      key: keyspace.keyOf(index),
      size: 100 + index,
      connection: connections[0],
    })),
  );
});

test('a host’s objects are those of its shard, numbered by localIndex', () => {
  const { workload, connections } = fakeEngine({ answer: () => {}, shard: { index: 1, count: 3 } });
  const [, read] = OPERATIONS;
  const record = new OperationRecord(read, { ...workload, sizeOf: () => 100 }, connections[0]);
  record.take(0, read, 4);
  assert.deepEqual([record.localIndex, record.index], [4, 13]);
  assert.equal(record.key, workload.keyspace.keyOf(13));
  assert.equal(record.bucket, workload.keyspace.bucketOf(13));
});
