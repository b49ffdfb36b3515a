import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BucketList } from '../../lib/load/workload/bucket-list.js';
import { Keyspace } from '../../lib/load/workload/keyspace.js';

/** @param {readonly string[]} buckets */
function keyspaceOver(buckets) {
  return new Keyspace({ runId: 'run-1', prefix: 'benchmark', buckets });
}

/**
 * @param {readonly string[]} given
 * @param {readonly string[]} written buckets of the run
 * @param {readonly number[]} indices
 * @returns {readonly (string | null)[] | null} the list found from objects in the given buckets
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

test('does not question buckets that fit', () => {
  for (const buckets of [['a'], ['a', 'b'], ['a', 'b', 'c', 'd', 'e']]) {
    for (const objects of [0, 1, 10, 1000]) {
      assert.equal(found(buckets, buckets, upTo(objects)), null, `${objects} objects in ${buckets.length} buckets`);
    }
  }
});

test('finds a different order of the same buckets, and a list of fewer buckets', () => {
  assert.deepEqual(found(['b', 'a'], ['a', 'b'], upTo(100)), ['a', 'b']);
  assert.deepEqual(found(['a', 'b', 'c', 'd'], ['c', 'a', 'd', 'b'], upTo(200)), ['c', 'a', 'd', 'b']);
  assert.deepEqual(found(['a', 'b', 'c'], ['c', 'a'], upTo(100)), ['c', 'a']);
});

test('knows the position of a bucket that was not given', () => {
  assert.deepEqual(found(['a', 'c'], ['a', 'b', 'c'], upTo(200)), ['a', null, 'c']);
  assert.deepEqual(found(['b'], ['a', 'b'], upTo(200)), [null, 'b'], 'though all of its objects fit the one bucket');
  assert.equal(found(['b'], ['a', 'b'], upTo(20)), null, 'of so few objects that may be chance');
});

test('reports no list if none fits', () => {
  const list = new BucketList(keyspaceOver(['a', 'b']));
  upTo(100).forEach((index) => list.see(index, index % 3 === 0 ? 'a' : 'b'));
  assert.equal(list.other(), null);
});

test('whatever is left of a run, all of it belongs to the run under the reported list', () => {
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
