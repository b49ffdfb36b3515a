import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Keyspace, WHOLE, globalIndex } from '../../lib/load/workload/keyspace.js';
import { ObjectGroups, groupsOf } from '../../lib/load/workload/object-groups.js';

/** @param {number} buckets */
function keyspaceOf(buckets) {
  const names = Array.from({ length: buckets }, (_, slot) => `bucket-${slot}`);
  return new Keyspace({ runId: 'run-1', prefix: 'benchmark', buckets: names });
}

/** @param {ObjectGroups} groups */
function allOf(groups) {
  return Array.from({ length: groups.count }, (_, number) => groups.at(number));
}

const anyChoice = fc.record({
  buckets: fc.integer({ min: 1, max: 5 }),
  first: fc.nat(50),
  objects: fc.nat(300),
  size: fc.integer({ min: 1, max: 40 }),
  count: fc.integer({ min: 1, max: 3 }),
  isByKey: fc.boolean(),
});

test("each object is in one group of its bucket, and all groups except the bucket's last are full", () => {
  fc.assert(
    fc.property(anyChoice, ({ buckets, count, ...choice }) => {
      const keyspace = keyspaceOf(buckets);
      const shard = { index: count - 1, count };
      const groups = allOf(new ObjectGroups({ ...choice, keyspace, shard }));
      const { first, objects, size } = choice;
      const locals = groups.flatMap((group) => [...group.locals]);
      assert.deepEqual(
        locals.toSorted((one, other) => one - other),
        Array.from({ length: objects }, (_, place) => first + place),
      );
      for (const group of groups) {
        assert.ok(group.locals.length > 0 && (group.locals.length === size || group.isLast));
        for (const local of group.locals) {
          assert.equal(keyspace.slotOf(globalIndex(shard, local), buckets), group.slot);
        }
      }
      for (let slot = 0; slot < buckets; slot++) {
        const ends = groups.filter((group) => group.slot === slot).map(({ isLast }) => isLast);
        assert.deepEqual(
          ends,
          ends.map((_, place) => place === ends.length - 1),
        );
      }
    }),
  );
});

test("by key, the objects of a bucket are in the order of a store's listing", () => {
  fc.assert(
    fc.property(anyChoice, ({ buckets, first, objects, size }) => {
      const keyspace = keyspaceOf(buckets);
      const choice = { first, objects, size, isByKey: true };
      const groups = allOf(new ObjectGroups({ ...choice, keyspace, shard: WHOLE }));
      for (let slot = 0; slot < buckets; slot++) {
        const indices = groups.filter((group) => group.slot === slot).flatMap(({ locals }) => [...locals]);
        const keys = indices.map((index) => keyspace.keyOf(index));
        assert.deepEqual(keys, keys.toSorted());
        indices.forEach((index, place) => {
          const before = keyspace.beforeKeyOf(index);
          assert.ok(before < keys[place] && before < keyspace.probeKeyOf(index));
          assert.ok(place === 0 || keys[place - 1] < before);
        });
      }
    }),
  );
});

test('by index, they are in the order in which they were written', () => {
  const groups = new ObjectGroups({
    ...{ keyspace: keyspaceOf(1), shard: WHOLE, first: 5, objects: 7, size: 3, isByKey: false },
  });
  assert.deepEqual(
    allOf(groups).map(({ locals, isLast }) => [[...locals], isLast]),
    [
      [[5, 6, 7], false],
      [[8, 9, 10], false],
      [[11], true],
    ],
  );
});

test('groups alternate between buckets', () => {
  const groups = new ObjectGroups({
    ...{ keyspace: keyspaceOf(3), shard: WHOLE, first: 0, objects: 90, size: 10, isByKey: true },
  });
  assert.deepEqual(
    allOf(groups).map(({ slot }) => slot),
    [0, 1, 2, 0, 1, 2, 0, 1, 2],
  );
});

test('the number of groups is known in advance', () => {
  fc.assert(
    fc.property(anyChoice, ({ buckets, objects, size, isByKey }) => {
      const groups = new ObjectGroups({
        keyspace: keyspaceOf(buckets),
        shard: WHOLE,
        first: 0,
        objects,
        size,
        isByKey,
      });
      assert.equal(groups.count, groupsOf(objects, buckets, size));
    }),
  );
});
