import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnlistedObjects } from '../../lib/workload/unlisted-objects.js';
import { WrittenObjects, memoryFor } from '../../lib/workload/written-objects.js';

const SHARD = { index: 2, count: 5 };
const OBJECTS = 50;

/** @param {readonly number[]} written local indices */
function unlistedOf(written) {
  const objects = new WrittenObjects(memoryFor(OBJECTS));
  written.forEach((local) => objects.add(local, 1));
  return new UnlistedObjects(objects, SHARD, OBJECTS);
}

const locals = fc.uniqueArray(fc.nat(OBJECTS - 1));

test('finds what was written but not listed, whatever else is listed', () => {
  fc.assert(
    fc.property(locals, fc.array(fc.nat(OBJECTS * SHARD.count * 2)), (written, listed) => {
      const unlisted = unlistedOf(written);
      listed.forEach((index) => unlisted.listed(index));
      const expected = written
        .map((local) => local * SHARD.count + SHARD.index)
        .filter((index) => !listed.includes(index));
      assert.deepEqual(
        [...unlisted.indices()],
        expected.toSorted((one, other) => one - other),
      );
      assert.equal(unlisted.count, expected.length);
    }),
  );
});

test('a sample contains no duplicates and only existing indices; a small set is returned completely', () => {
  fc.assert(
    fc.property(
      locals,
      fc.integer({ min: 1, max: 20 }),
      fc.infiniteStream(fc.double({ min: 0, max: 0.999 })),
      (written, size, chances) => {
        const unlisted = unlistedOf(written);
        const sample = unlisted.sample(size, () => chances.next().value);
        const all = new Set(unlisted.indices());
        assert.equal(sample.length, Math.min(size, all.size));
        assert.equal(new Set(sample).size, sample.length);
        assert.ok(sample.every((index) => all.has(index)));
      },
    ),
  );
});
