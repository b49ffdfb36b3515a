import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chiSquaredTest } from '../helpers/chi-squared.js';
import { accessOrder, formatAccess, parseAccess, shuffle, zipfRank } from '../../lib/load/workload/access.js';
import { Keyspace } from '../../lib/load/workload/keyspace.js';
import { mixIndex, seedOf } from '../../lib/load/workload/mix.js';

const DRAWS = 100_000;

/** Chance alone would fail one test in a thousand, but not with this seed. */
const SIGNIFICANCE = 0.001;

/**
 * @param {number} objects
 * @param {(claim: number) => number} placeOf
 * @returns {number[]} how often each object is drawn
 */
function countPlaces(objects, placeOf) {
  const counts = Array(objects).fill(0);
  for (let claim = 0; claim < DRAWS; claim += 1) {
    counts[placeOf(claim)] += 1;
  }
  return counts;
}

/**
 * @param {number} objects
 * @param {number} exponent
 * @returns {number[]} by rank
 */
function zipfShares(objects, exponent) {
  const weights = Array.from({ length: objects }, (_, rank) => (rank + 1) ** -exponent);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

test('reads back a formatted access pattern', () => {
  const exponents = fc.integer({ min: 1, max: 5000 }).map((thousandths) => thousandths / 1000);
  fc.assert(
    fc.property(exponents, (exponent) => {
      const access = { kind: 'zipf', exponent };
      assert.deepEqual(parseAccess(formatAccess(/** @type {any} */ (access))), access);
    }),
  );
  assert.deepEqual(
    ['sequential', 'uniform', 'zipf:0.99'].map((text) => formatAccess(parseAccess(text))),
    ['sequential', 'uniform', 'zipf:0.99'],
  );
});

test('rejects anything else as an access pattern', () => {
  for (const text of [
    '',
    'zipf',
    'zipf:',
    'zipf:0',
    'zipf:5.1',
    'zipf:-1',
    'zipf:1e1',
    'random',
    'Uniform',
    'uniform:1',
  ]) {
    assert.throws(() => parseAccess(text), {
      name: 'RangeError',
      message: /^expected sequential, uniform or zipf:0\.99/,
    });
  }
});

test('sequential access cycles through the objects', () => {
  const placeOf = accessOrder({ access: { kind: 'sequential' }, objects: 3, seed: 'run-1' });
  assert.deepEqual([0, 1, 2, 3, 4, 2 ** 32].map(placeOf), [0, 1, 2, 0, 1, 1]);
});

test('uniform draws are equally frequent for each object', () => {
  const counts = countPlaces(1000, accessOrder({ access: { kind: 'uniform' }, objects: 1000, seed: 'run-1' }));
  assert.ok(chiSquaredTest(counts, Array(1000).fill(1 / 1000)) > SIGNIFICANCE);
});

test('a draw does not depend on the previous one', () => {
  const placeOf = accessOrder({ access: { kind: 'uniform' }, objects: 10, seed: 'run-1' });
  const pairs = Array(100).fill(0);
  for (let claim = 0; claim < DRAWS; claim += 2) {
    pairs[10 * placeOf(claim) + placeOf(claim + 1)] += 1;
  }
  assert.ok(chiSquaredTest(pairs, Array(100).fill(1 / 100)) > SIGNIFICANCE);
});

for (const [objects, exponent] of [
  [1000, 0.99],
  [1000, 1],
  [1000, 0.5],
  [50, 1.5],
  [10, 3],
  [2, 0.001],
]) {
  test(`ranks of ${objects} objects have Zipf frequencies with the exponent ${exponent}`, () => {
    const rankOf = zipfRank(objects, exponent);
    const seed = seedOf('a fixed seed');
    const counts = countPlaces(objects, (claim) => rankOf(mixIndex(claim, seed)));
    const significance = chiSquaredTest(counts, zipfShares(objects, exponent));
    assert.ok(significance > SIGNIFICANCE, `${significance}`);
  });
}

test('each object has the frequency of its rank, and hot ones are anywhere', () => {
  const objects = 1000;
  const seed = 'run-1';
  const counts = countPlaces(objects, accessOrder({ access: { kind: 'zipf', exponent: 0.99 }, objects, seed }));
  const placeOf = shuffle(objects, seedOf(`places of ${seed}`));
  const byRank = counts.map((_, rank) => counts[placeOf(rank)]);
  assert.ok(chiSquaredTest(byRank, zipfShares(objects, 0.99)) > SIGNIFICANCE);
  const inHalves = Array.from({ length: 100 }, (_, rank) => placeOf(rank)).filter(
    (place) => place < objects / 2,
  ).length;
  assert.ok(chiSquaredTest([inHalves, 100 - inHalves], [0.5, 0.5]) > SIGNIFICANCE, `${inHalves}`);
});

test('hot objects are spread over buckets and over the key space', () => {
  const objects = 100_000;
  const keyspace = new Keyspace({ runId: 'run-1', prefix: 'benchmark', buckets: ['one', 'two', 'three', 'four'] });
  const placeOf = shuffle(objects, seedOf('places of run-1'));
  const hot = Array.from({ length: 400 }, (_, rank) => placeOf(rank));
  const inBuckets = keyspace.buckets.map((bucket) => hot.filter((place) => keyspace.bucketOf(place) === bucket).length);
  const inQuarters = [0, 0, 0, 0];
  hot.forEach((place) => (inQuarters[keyspace.spreadOf(place) >>> 30] += 1));
  for (const counts of [inBuckets, inQuarters]) {
    assert.ok(chiSquaredTest(counts, Array(4).fill(1 / 4)) > SIGNIFICANCE, counts.join());
  }
});

test('a shuffle is one-to-one, for any number of objects', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 0, max: 2 ** 32 - 1 }), (objects, seed) => {
      const placeOf = shuffle(objects, seed);
      const places = new Set(Array.from({ length: objects }, (_, place) => placeOf(place)));
      assert.equal(places.size, objects);
      places.forEach((place) => assert.ok(place >= 0 && place < objects));
    }),
  );
});

test('all workers agree on any claim, within the objects', () => {
  const accesses = fc
    .constantFrom('sequential', 'uniform', 'zipf:0.99', 'zipf:1', 'zipf:5', 'zipf:0.001')
    .map(parseAccess);
  const claims = fc.integer({ min: 0, max: 2 ** 32 - 1 });
  fc.assert(
    fc.property(accesses, fc.integer({ min: 1, max: 1e9 }), fc.string(), claims, (access, objects, seed, claim) => {
      const options = { access, objects, seed };
      const place = accessOrder(options)(claim);
      assert.ok(Number.isInteger(place) && place >= 0 && place < objects);
      assert.equal(accessOrder(options)(claim), place);
    }),
  );
});
