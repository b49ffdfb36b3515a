import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BucketList } from '../../lib/workload/bucket-list.js';
import { Keyspace } from '../../lib/workload/keyspace.js';

/** @param {readonly string[]} buckets */
function keyspaceOver(buckets) {
  return new Keyspace({ runId: 'run-1', prefix: 'benchmark', buckets });
}

/**
 * @param {readonly string[]} given
 * @param {readonly string[]} written over which the run wrote
 * @param {readonly number[]} indices
 * @returns {readonly (string | null)[] | null} what is found out from what the given buckets hold
 */
function found(given, written, indices) {
  const list = new BucketList(keyspaceOver(given));
  const run = keyspaceOver(written);
  for (const index of indices) {
    const bucket = run.bucketOf(index);
    if (given.includes(bucket)) {
      list.see(index, bucket);
    }
  }
  return list.other();
}

/** @param {number} count */
function upTo(count) {
  return Array.from({ length: count }, (_, index) => index);
}

test('buckets that fit are not questioned', () => {
  for (const buckets of [['a'], ['a', 'b'], ['a', 'b', 'c', 'd', 'e']]) {
    for (const objects of [0, 1, 10, 1000]) {
      assert.equal(found(buckets, buckets, upTo(objects)), null, `${objects} objects in ${buckets.length} buckets`);
    }
  }
});

test('another order of the same buckets is found, and so are fewer buckets than were given', () => {
  assert.deepEqual(found(['b', 'a'], ['a', 'b'], upTo(100)), ['a', 'b']);
  assert.deepEqual(found(['a', 'b', 'c', 'd'], ['c', 'a', 'd', 'b'], upTo(200)), ['c', 'a', 'd', 'b']);
  assert.deepEqual(found(['a', 'b', 'c'], ['c', 'a'], upTo(100)), ['c', 'a']);
});

test('where a bucket of the run was not given, its place is known', () => {
  assert.deepEqual(found(['a', 'c'], ['a', 'b', 'c'], upTo(200)), ['a', null, 'c']);
  assert.deepEqual(found(['b'], ['a', 'b'], upTo(200)), [null, 'b'], 'though all of its objects fit the one bucket');
  assert.equal(found(['b'], ['a', 'b'], upTo(20)), null, 'of so few objects that may be chance');
});

test('what fits no list is not told to fit one', () => {
  const list = new BucketList(keyspaceOver(['a', 'b']));
  upTo(100).forEach((index) => list.see(index, index % 3 === 0 ? 'a' : 'b'));
  assert.equal(list.other(), null);
});

test('whatever is left of a run, the list that is told is one under which all of it is the run’s own', () => {
  const orders = fc.shuffledSubarray(['a', 'b', 'c', 'd', 'e'], { minLength: 1 });
  fc.assert(
    fc.property(orders, orders, fc.uniqueArray(fc.nat(10_000), { maxLength: 60 }), (given, written, indices) => {
      const buckets = found(given, written, indices);
      const run = keyspaceOver(written);
      const seen = indices.filter((index) => given.includes(run.bucketOf(index)));
      const isRefuted = seen.some((index) => keyspaceOver(given).bucketOf(index) !== run.bucketOf(index));
      assert.ok(!isRefuted || buckets !== null, 'the true list fits');
      for (const index of buckets === null ? [] : seen) {
        assert.equal(keyspaceOver(/** @type {string[]} */ (buckets)).bucketOf(index), run.bucketOf(index));
      }
    }),
  );
});
