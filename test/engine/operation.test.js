import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Operation } from '../../lib/engine/operation.js';
import { fakeEngine } from '../helpers/fake-store.js';

/** @import { Stage } from '../../lib/operations/operation.js' */

test('a thread takes on one object after the other, and shows the stage what it needs of each', async () => {
  const { workload, connections } = fakeEngine({ answer: () => {} });
  /** @type {unknown[]} */
  const seen = [];
  /** @type {Stage} */
  const stage = {
    name: 'Write',
    isRead: false,
    isWrite: true,
    removes: false,
    needsObject: false,
    async attempt({ index, bucket, key, size, connection }) {
      seen.push({ index, bucket, key, size, connection });
    },
  };
  const operation = new Operation(stage, workload, connections[0], 100);
  assert.equal(operation.isWrite, true);
  for (const index of [3, 0]) {
    operation.take(index);
    await operation.attempt();
  }
  const { keyspace } = workload;
  assert.deepEqual(
    seen,
    [3, 0].map((index) => ({
      index,
      bucket: keyspace.bucketOf(index),
      key: keyspace.keyOf(index),
      size: 100,
      connection: connections[0],
    })),
  );
});

test('a host’s objects are those of its shard, by their place among them', () => {
  const { workload, connections } = fakeEngine({ answer: () => {}, shard: { index: 1, count: 3 } });
  const stage = /** @type {Stage} */ ({ name: 'Read', isWrite: false, removes: false, needsObject: true });
  const operation = new Operation(stage, workload, connections[0], 100);
  operation.take(4);
  assert.deepEqual([operation.place, operation.index], [4, 13]);
  assert.equal(operation.key, workload.keyspace.keyOf(13));
  assert.equal(operation.bucket, workload.keyspace.bucketOf(13));
});
