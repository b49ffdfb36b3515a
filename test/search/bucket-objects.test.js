import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BucketObjects } from '../../lib/search/bucket-objects.js';

const WRITE = { creates: true, removes: false };
const READ = { creates: false, removes: false };
const REMOVE = { creates: false, removes: true };

/** @import { Range } from '../../lib/search/search-objects.js' */

/**
 * @param {Range} range
 * @param {number} count indices that were used
 * @returns {string[]} bucket and number of each object
 */
function objectsOf({ bucketStarts = [] }, count) {
  const buckets = bucketStarts.length;
  return Array.from({ length: count }, (_, place) => {
    const bucket = place % buckets;
    return `${bucket}/${bucketStarts[bucket] + Math.floor(place / buckets)}`;
  });
}

const steps = fc.array(fc.record({ buckets: fc.integer({ min: 1, max: 4 }), used: fc.nat(60) }), { maxLength: 8 });

test('no object is written or removed twice, and only written objects are read or removed', () => {
  fc.assert(
    fc.property(steps, steps, (writes, removals) => {
      const objects = new BucketObjects({ objects: 300, buckets: 4, exist: false });
      const written = new Set();
      for (const { buckets, used } of writes) {
        const range = objects.rangeFor(WRITE, false, used, buckets);
        assert.ok(range.count <= 300 - written.size && !range.cycles);
        for (const object of objectsOf(range, range.count)) {
          assert.ok(!written.has(object), object);
          written.add(object);
        }
        objects.use(WRITE, false, range.count, buckets);
      }
      objects.stageEnds(WRITE);
      for (const buckets of [1, 2, 3, 4]) {
        const range = objects.rangeFor(READ, false, 1, buckets);
        assert.ok(range.cycles && objectsOf(range, range.count).every((object) => written.has(object)));
      }
      for (const { buckets, used } of removals) {
        const range = objects.rangeFor(REMOVE, false, used, buckets);
        for (const object of objectsOf(range, range.count)) {
          assert.ok(written.delete(object), object);
        }
        objects.use(REMOVE, false, range.count, buckets);
      }
    }),
  );
});

test('existing objects are spread over all buckets', () => {
  const objects = new BucketObjects({ objects: 10, buckets: 3, exist: true });
  assert.deepEqual(
    [1, 2, 3].map((buckets) => objects.rangeFor(READ, false, 100, buckets).count),
    [3, 6, 9],
  );
  assert.deepEqual([objects.countIn(READ, 3), objects.countIn(REMOVE, 3)], [Infinity, 9]);
});

test('Remove gets what is left in all buckets, however unevenly Write filled them', () => {
  const objects = new BucketObjects({ objects: 1000, buckets: 3, exist: false });
  for (const [buckets, used] of [
    [1, 400],
    [2, 100],
    [3, 60],
  ]) {
    objects.use(WRITE, false, used, buckets);
  }
  objects.stageEnds(WRITE);
  assert.deepEqual([objects.countFor(REMOVE), objects.countIn(REMOVE, 1), objects.countIn(REMOVE, 3)], [560, 470, 60]);
  objects.use(REMOVE, false, 70, 1);
  objects.use(REMOVE, false, 30, 2);
  assert.equal(objects.countFor(REMOVE), 460);
});
