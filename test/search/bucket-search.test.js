import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BucketObjects } from '../../lib/search/bucket-objects.js';
import { BucketSearch } from '../../lib/search/bucket-search.js';
import { cases } from '../helpers/cases.js';
import { chance } from '../helpers/chance.js';
import { runSearch } from '../helpers/simulated-store.js';

/**
 * A store whose rate depends on how many of its buckets are used.
 *
 * @param {(buckets: number) => number} rateOf ops/s
 * @param {Partial<ConstructorParameters<typeof BucketSearch>[0]> & { seed?: number, isClientBusy?: boolean }} [options]
 */
function search(rateOf, { seed = 1, isClientBusy = false, ...options } = {}) {
  const { uniform } = chance(seed);
  const found = new BucketSearch({ buckets: 3, maxThreads: 400, unloadedLatency: 20, ...options });
  const buckets = /** @type {number[]} */ ([]);
  let rate = rateOf(1);
  const driven = {
    next() {
      const step = found.next();
      rate = rateOf(step?.buckets ?? 1);
      buckets.push(...(step?.buckets === undefined ? [] : [step.buckets]));
      return step;
    },
    take: (/** @type {any} */ result) => found.take({ ...result, isClientBusy }),
  };
  const model = {
    latency: () => 19 + 2 * uniform(),
    get rate() {
      return rate;
    },
  };
  runSearch(/** @type {any} */ (driven), model);
  return { buckets, ...found.conclusion() };
}

/**
 * A search whose operations are limited by objects.
 *
 * @param {BucketObjects} objects
 * @param {{ creates: boolean, removes: boolean }} stage
 * @param {object} options
 * @param {number} options.limit ops/s per bucket
 * @param {number} options.buckets
 */
function searchObjects(objects, stage, { limit, buckets }) {
  const found = new BucketSearch({
    ...{ buckets, maxThreads: 400, unloadedLatency: 20 },
    maxOperations: objects.countFor(stage),
    available: (count) => objects.countIn(stage, count),
    sharesOperations: stage.removes,
  });
  /** @type {number | undefined} */
  let count;
  const driven = {
    next() {
      const step = found.next();
      count = step?.buckets;
      assert.ok(step === null || step.operations <= objects.countIn(stage, count ?? 1));
      return step;
    },
    take(/** @type {any} */ result) {
      objects.use(stage, false, result.consumed, count);
      found.take(result);
    },
  };
  runSearch(/** @type {any} */ (driven), () => ({ latency: () => 20, rate: limit * (count ?? 1) }));
  objects.stageEnds(stage);
  return found.conclusion();
}

const WRITE = { creates: true, removes: false };
const REMOVE = { creates: false, removes: true };

test('Remove of evenly spread objects finds the limit, or reports how many more objects it needs', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2000, max: 100_000 }),
      fc.integer({ min: 2, max: 4 }),
      fc.integer({ min: 200, max: 500 }),
      (given, buckets, limit) => {
        let count = given;
        let found = null;
        for (let attempt = 0; attempt < 8 && found?.limit !== 'per bucket'; attempt++) {
          const objects = new BucketObjects({ objects: count, buckets, exist: true });
          found = searchObjects(objects, REMOVE, { limit, buckets });
          if (found.limit !== 'per bucket') {
            const needed = Number(found.needed?.operations);
            assert.equal(found.limitingResource, 'leftovers');
            assert.ok(needed > count, `${needed} instead of ${count}: ${JSON.stringify(found)}`);
            count = needed;
          }
        }
        assert.equal(found?.limit, 'per bucket', JSON.stringify(found));
      },
    ),
    { numRuns: cases(15) },
  );
});

test('Remove finds the limit with what a search of Write left in each bucket', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 4 }), fc.integer({ min: 200, max: 500 }), (buckets, limit) => {
      const objects = new BucketObjects({ objects: 200_000, buckets, exist: false });
      assert.equal(searchObjects(objects, WRITE, { limit, buckets }).limit, 'per bucket');
      const found = searchObjects(objects, REMOVE, { limit, buckets });
      assert.equal(found.limit, 'per bucket', JSON.stringify(found));
    }),
    { numRuns: cases(10) },
  );
});

test('a per-bucket limit is found, whatever its value and the number of buckets', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 200, max: 700 }),
      fc.integer({ min: 2, max: 6 }),
      fc.nat(1000),
      (limit, buckets, seed) => {
        const found = search((count) => limit * count, { buckets, seed });
        assert.equal(found.limit, 'per bucket', JSON.stringify(found));
        assert.ok(Math.abs(Number(found.perBucket?.operationsPerSecond) / limit - 1) < 0.05, JSON.stringify(found));
      },
    ),
    { numRuns: cases(15) },
  );
});

test('a limit of the whole store is recognised', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 200, max: 700 }),
      fc.integer({ min: 2, max: 6 }),
      fc.nat(1000),
      (limit, buckets, seed) => {
        const found = search(() => limit, { buckets, seed });
        assert.deepEqual([found.limit, found.perBucket], ['whole store', null], JSON.stringify(found));
      },
    ),
    { numRuns: cases(15) },
  );
});

test('the number of buckets doubles up to all of them, each with the threads of the plateau', () => {
  const { buckets, steps, threadsPerBucket } = search((count) => 300 * count, { buckets: 6 });
  assert.deepEqual(buckets, [1, 2, 4, 6]);
  assert.deepEqual(
    steps.map((step) => step.threads),
    buckets.map((count) => count * Number(threadsPerBucket)),
  );
});

test('a rate that grows at first and then meets another limit is neither', () => {
  const found = search((count) => Math.min(300 * count, 700));
  assert.deepEqual([found.limit, found.reason], ['inconclusive', 'in between']);
  const late = search((count) => Math.min(300 * count, 1900), { buckets: 8 });
  assert.deepEqual([late.limit, late.reason], ['inconclusive', 'in between']);
});

test('a busy client hides a limit of the store, unless the rate still grows in proportion', () => {
  const flat = search(() => 400, { isClientBusy: true });
  assert.deepEqual([flat.limit, flat.reason], ['inconclusive', 'client busy']);
  assert.equal(search((count) => 400 * count, { isClientBusy: true }).limit, 'per bucket');
});

test('without a plateau of one bucket, there is no conclusion about several', () => {
  const found = search((count) => 5000 * count, { maxThreads: 20 });
  assert.deepEqual([found.limit, found.reason, found.buckets], ['inconclusive', 'no plateau', []]);
});

test('too few threads for all buckets are reported with the number needed', () => {
  const enough = search((count) => 400 * count, { buckets: 8 });
  const threads = Number(enough.threadsPerBucket);
  const found = search((count) => 400 * count, { buckets: 8, maxThreads: 5 * threads });
  assert.deepEqual([found.limit, found.buckets.at(-1)], ['per bucket', 5]);
  assert.equal(found.threadsNeeded, 8 * Number(found.threadsPerBucket));
  assert.equal(enough.threadsNeeded, null);
});

test('the search stays within its operations, and the number it asks for is enough', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1000, max: 60_000 }), fc.integer({ min: 2, max: 4 }), (maxOperations, buckets) => {
      const rateOf = (/** @type {number} */ count) => 400 * count;
      const found = search(rateOf, { buckets, maxOperations });
      if (found.needed !== null) {
        assert.ok(found.needed.operations > maxOperations / 2, JSON.stringify(found));
        assert.equal(found.limitingResource, 'objects');
      }
      const last = found.limit === 'per bucket' ? found : search(rateOf, { buckets, maxOperations: 200_000 });
      assert.equal(last.limit, 'per bucket');
    }),
    { numRuns: cases(10) },
  );
});
