import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { BucketListing, ListedObjects, shardOf } from '../../lib/load/workload/listed-objects.js';
import { globalIndex } from '../../lib/load/workload/keyspace.js';
import {
  averageSize,
  formatSizes,
  largestSize,
  sizeClasses,
  sizesText,
  smallestSize,
  typicalSize,
} from '../../lib/load/workload/size-distribution.js';
import { STRANGE_KEYS, STRANGER_KEYS } from '../helpers/strange-keys.js';

/**
 * @typedef {{ key: string, size: number, etagDigest: number }} Given
 *
 * @param {readonly (readonly Given[])[]} buckets
 * @param {object} [options]
 * @param {number} [options.limit]
 * @param {number} [options.shards]
 */
function listedOf(buckets, { limit = Infinity, shards = 1 } = {}) {
  const listings = buckets.map((objects) => {
    const listing = new BucketListing();
    objects.forEach((object) => listing.add({ ...object, key: Buffer.from(object.key) }));
    return listing;
  });
  const names = buckets.map((_, slot) => `bucket-${slot}`);
  return ListedObjects.of({ prefix: 'p', buckets: names, shards, limit, listings });
}

/** @param {string} key */
function objectOf(key) {
  return { key, size: key.length, etagDigest: key.length + 1 };
}

const anyObject = fc.record({
  key: fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
  size: fc.nat(2 ** 42),
  etagDigest: fc.nat(2 ** 32 - 1),
});

test('returns what was listed, whatever the keys, alternating between buckets', () => {
  const anyBuckets = fc.array(fc.array(anyObject, { maxLength: 12 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(anyBuckets, fc.integer({ min: 1, max: 3 }), fc.nat(30), (buckets, shards, limit) => {
      const listed = listedOf(buckets, { shards, limit });
      const all = buckets.reduce((sum, { length }) => sum + length, 0);
      assert.equal(listed.count, Math.min(all, limit));
      const next = buckets.map(() => 0);
      for (let local = 0; local < listed.count; local++) {
        const index = globalIndex({ index: shards - 1, count: shards }, local);
        const slot = listed.slotOf(index);
        const expected = buckets[slot][next[slot]];
        assert.equal(listed.beforeKeyOf(index), next[slot] === 0 ? '' : buckets[slot][next[slot] - 1].key);
        next[slot] += 1;
        assert.deepEqual(
          [listed.keyOf(index), listed.sizeOf(index), listed.etagDigestOf(index)],
          [expected.key, expected.size, expected.etagDigest],
        );
      }
      const open = next.filter((count, slot) => count < buckets[slot].length);
      assert.ok(open.length === 0 || Math.max(...next) - Math.min(...open) <= 1, `${next}`);
    }),
  );
});

test('keeps keys exactly, including those of 1,024 bytes and those outside the basic plane', () => {
  const keys = [...STRANGE_KEYS, ...STRANGER_KEYS, 'ü'.repeat(512)];
  const listed = listedOf([keys.map(objectOf)]);
  assert.deepEqual(
    keys.map((_, index) => listed.keyOf(index)),
    keys,
  );
});

test('the largest object is one of the selected objects', () => {
  const listed = listedOf(
    [
      [
        { ...objectOf('a'), size: 5 },
        { ...objectOf('b'), size: 7 },
        { ...objectOf('c'), size: 900 },
      ],
      [{ ...objectOf('d'), size: 6 }],
    ],
    { limit: 3 },
  );
  assert.deepEqual([listed.count, listed.largest], [3, 7]);
});

test('knows the percentiles of sizes, and divides them into classes, with empty objects in the smallest', () => {
  const listed = listedOf([
    Array.from({ length: 1001 }, (_, place) => ({ ...objectOf(`key-${place}`), size: 3 * (1000 - place) })),
  ]);
  const { sizes } = listed;
  assert.ok(sizes?.kind === 'listed');
  assert.deepEqual([sizes.quantiles.length, sizes.quantiles[0], sizes.quantiles[1]], [101, 0, 30]);
  assert.deepEqual([smallestSize(sizes), typicalSize({ size: 0, sizes }), largestSize(sizes)], [0, 1500, 3000]);
  assert.ok(Math.abs(averageSize({ size: 0, sizes }) - 1500) < 30);
  assert.equal(formatSizes(sizes), 'listed');
  assert.equal(sizesText({ size: 3000, sizes }), '0 B to 3 kB');
  const classes = sizeClasses(sizes);
  assert.deepEqual([classes[0].from, classes.at(-1)?.to, classes.length], [0, 4095, 12]);
  classes.slice(1).forEach(({ from }, place) => assert.equal(from, classes[place].to + 1));
  assert.equal(listedOf([[objectOf('a'), objectOf('b')]]).sizes, undefined);
});

test('threads share a list', async () => {
  const listed = listedOf([[objectOf('one'), objectOf('zwei 😀')], [objectOf('three')]]);
  const code = `
    const { parentPort, workerData } = require('node:worker_threads');
    import(workerData.url).then(({ ListedObjects }) => {
      const listed = new ListedObjects(workerData.state);
      parentPort.postMessage([0, 1, 2].map((index) => [listed.slotOf(index), listed.keyOf(index), listed.sizeOf(index)]));
    });`;
  const url = new URL('../../lib/load/workload/listed-objects.js', import.meta.url).href;
  const worker = new Worker(code, { eval: true, workerData: { url, state: listed.state } });
  const seen = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  await worker.terminate();
  assert.deepEqual(seen, [
    [0, 'one', 3],
    [1, 'three', 5],
    [0, 'zwei 😀', 7],
  ]);
});

test('an object takes its key and 20 bytes', () => {
  const listing = new BucketListing();
  for (let place = 0; place < 1000; place++) {
    listing.add({ key: Buffer.from(`key-${place + 1000}`), size: 1, etagDigest: 1 });
  }
  assert.equal(listing.bytes, 1000 * (8 + 20));
});

test('hosts divide objects by key: each belongs to one of them, whatever else is listed, in roughly equal parts', () => {
  const keys = Array.from({ length: 30_000 }, (_, place) => `photos/${place}.jpg`);
  const counts = [0, 0, 0];
  keys.forEach((key) => (counts[shardOf('bucket', key, 3)] += 1));
  // Chi-squared with two degrees of freedom at 0.001.
  const chiSquared = counts.reduce((sum, count) => sum + (count - 10_000) ** 2 / 10_000, 0);
  assert.ok(chiSquared < 13.82, `${counts}`);
  assert.equal(shardOf('bucket', 'any', 1), 0);
  assert.ok(keys.some((key) => shardOf('one', key, 3) !== shardOf('other', key, 3)));
});
