import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WHOLE, globalIndex, isInShard } from '../../lib/load/workload/keyspace.js';

test('the shards of a run divide its objects: each belongs to exactly one', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9 }), fc.nat(50), (count, objects) => {
      const shards = Array.from({ length: count }, (_, index) => ({ index, count }));
      const indices = shards.flatMap((shard) =>
        Array.from({ length: objects }, (_, place) => globalIndex(shard, place)),
      );
      assert.equal(new Set(indices).size, count * objects);
      for (const index of indices) {
        assert.equal(shards.filter((shard) => isInShard(shard, index, objects)).length, 1);
      }
    }),
  );
});

test('objects after a shard’s last one do not belong to it', () => {
  const shard = { index: 2, count: 4 };
  assert.ok(isInShard(shard, globalIndex(shard, 9), 10));
  assert.ok(!isInShard(shard, globalIndex(shard, 10), 10));
  assert.ok(!isInShard(shard, 3, 10));
});

test('on one host, the local index of an object is its index', () => {
  assert.deepEqual(
    [0, 1, 99].map((place) => globalIndex(WHOLE, place)),
    [0, 1, 99],
  );
});
