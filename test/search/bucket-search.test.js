import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BucketSearch } from '../../lib/search/bucket-search.js';
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

test('a limit of each bucket is found, whatever it is and however many there are', () => {
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
    { numRuns: 15 },
  );
});

test('a limit of the whole store is told apart', () => {
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
    { numRuns: 15 },
  );
});

test('the buckets are doubled, and all of them come last, each with the threads of the plateau', () => {
  const { buckets, steps, threadsPerBucket } = search((count) => 300 * count, { buckets: 6 });
  assert.deepEqual(buckets, [1, 2, 4, 6]);
  assert.deepEqual(
    steps.map((step) => step.threads),
    buckets.map((count) => count * Number(threadsPerBucket)),
  );
});

test('what grows at first and meets another limit is neither', () => {
  const found = search((count) => Math.min(300 * count, 700));
  assert.deepEqual([found.limit, found.doubt], ['inconclusive', 'in between']);
  const late = search((count) => Math.min(300 * count, 1900), { buckets: 8 });
  assert.deepEqual([late.limit, late.doubt], ['inconclusive', 'in between']);
});

test('a busy client is no limit of the store, unless the rate grows in proportion all the same', () => {
  const flat = search(() => 400, { isClientBusy: true });
  assert.deepEqual([flat.limit, flat.doubt], ['inconclusive', 'client busy']);
  assert.equal(search((count) => 400 * count, { isClientBusy: true }).limit, 'per bucket');
});

test('without a plateau of one bucket nothing is said of several', () => {
  const found = search((count) => 5000 * count, { maxThreads: 20 });
  assert.deepEqual([found.limit, found.doubt, found.buckets], ['inconclusive', 'no plateau', []]);
});

test('threads that do not suffice for all buckets are named, with how many would', () => {
  const enough = search((count) => 400 * count, { buckets: 8 });
  const threads = Number(enough.threadsPerBucket);
  const found = search((count) => 400 * count, { buckets: 8, maxThreads: 5 * threads });
  assert.deepEqual([found.limit, found.buckets.at(-1)], ['per bucket', 5]);
  assert.equal(found.threadsNeeded, 8 * Number(found.threadsPerBucket));
  assert.equal(enough.threadsNeeded, null);
});

test('it never begins more operations than it may, and those that it says it needs are enough', () => {
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
    { numRuns: 10 },
  );
});
