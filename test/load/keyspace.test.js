import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Keyspace, isPrefix, isRunId } from '../../lib/load/workload/keyspace.js';

const LAYOUT = { runId: 'run-1', prefix: 'benchmark', buckets: ['one', 'two', 'three'] };

/** Written by version 1.0.0: a clean-up by a later version must find them. */
const PLACES_OF_VERSION_1 = [
  'two benchmark/run-1/ecf35339-0',
  'three benchmark/run-1/8aaa5525-1',
  'one benchmark/run-1/cf2dbb2d-4294967296',
];

const anyIndex = fc.oneof(fc.nat(1_000_000), fc.nat(Number.MAX_SAFE_INTEGER));
const anyLayout = fc.record({
  runId: fc.stringMatching(/^[A-Za-z0-9._-]{1,64}$/).filter(isRunId),
  prefix: fc.constantFrom('benchmark', 'team/benchmark'),
  buckets: fc
    .integer({ min: 1, max: 7 })
    .map((count) => Array.from({ length: count }, (_, place) => `bucket-${place}`)),
});

/**
 * @param {Keyspace} keyspace
 * @param {number} index
 */
function placeOf(keyspace, index) {
  return { bucket: keyspace.bucketOf(index), key: keyspace.keyOf(index) };
}

/**
 * @param {readonly string[]} values
 * @returns {Map<string, number>}
 */
function tally(values) {
  const counts = new Map();
  values.forEach((value) => counts.set(value, (counts.get(value) ?? 0) + 1));
  return counts;
}

/**
 * Chi squared of counts that should be even. With up to 7 degrees of freedom, it is below 40 in all but one of 100,000
 * cases.
 *
 * @param {readonly number[]} counts
 */
function chiSquared(counts) {
  const expected = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

test('bucket and key depend only on run ID and index', () => {
  fc.assert(
    fc.property(anyLayout, fc.array(anyIndex, { minLength: 1 }), (layout, indices) => {
      const one = new Keyspace(layout);
      const other = new Keyspace(layout);
      const forwards = indices.map((index) => placeOf(one, index));
      const backwards = [...indices].reverse().map((index) => placeOf(other, index));
      assert.deepEqual(forwards, backwards.reverse());
    }),
  );
});

test('keys of a run stay the same across versions of the tool', () => {
  const keyspace = new Keyspace(LAYOUT);
  assert.deepEqual(
    [0, 1, 2 ** 32].map((index) => `${keyspace.bucketOf(index)} ${keyspace.keyOf(index)}`),
    PLACES_OF_VERSION_1,
  );
});

test('keys are under the prefix and the run ID, and start with eight hexadecimal digits', () => {
  fc.assert(
    fc.property(anyLayout, anyIndex, (layout, index) => {
      const keyspace = new Keyspace(layout);
      assert.equal(keyspace.keyPrefix, `${layout.prefix}/${layout.runId}/`);
      const key = keyspace.keyOf(index);
      assert.ok(key.startsWith(keyspace.keyPrefix));
      assert.match(key.slice(keyspace.keyPrefix.length), new RegExp(`^[0-9a-f]{8}-${index}$`));
    }),
  );
});

test('keys are spread evenly over the first digit', () => {
  const keyspace = new Keyspace(LAYOUT);
  const digits = Array.from({ length: 16_000 }, (_, index) => keyspace.keyOf(index)[keyspace.keyPrefix.length]);
  const counts = tally(digits);
  assert.equal(counts.size, 16);
  assert.ok(chiSquared([...counts.values()]) < 60, String([...counts.values()]));
});

test('consecutive objects are spread exactly evenly over the buckets', () => {
  fc.assert(
    fc.property(anyLayout, fc.nat(10_000), fc.integer({ min: 1, max: 40 }), (layout, firstBlock, blocks) => {
      const keyspace = new Keyspace(layout);
      const count = layout.buckets.length;
      const buckets = Array.from({ length: blocks * count }, (_, place) =>
        keyspace.bucketOf(firstBlock * count + place),
      );
      assert.deepEqual(tally(buckets), new Map(buckets.slice(0, count).map((bucket) => [bucket, blocks])));
      assert.equal(new Set(buckets.slice(0, count)).size, count);
    }),
  );
});

test('hosts that take every Nth object use all buckets about equally often', () => {
  for (const buckets of [2, 3, 4, 8]) {
    const keyspace = new Keyspace({ ...LAYOUT, buckets: Array.from({ length: buckets }, (_, place) => `b${place}`) });
    for (const stride of [buckets, 2 * buckets, 12, 64]) {
      const visited = Array.from({ length: 8000 }, (_, place) => keyspace.bucketOf(place * stride + 1));
      const counts = tally(visited);
      assert.equal(counts.size, buckets);
      assert.ok(chiSquared([...counts.values()]) < 40, `${buckets} buckets, stride ${stride}: ${[...counts.values()]}`);
    }
  }
});

test('the index can be read back from bucket and key', () => {
  fc.assert(
    fc.property(anyLayout, anyIndex, (layout, index) => {
      const keyspace = new Keyspace(layout);
      const bucket = keyspace.bucketOf(index);
      assert.equal(keyspace.indexOf(bucket, keyspace.keyOf(index)), index);
      assert.deepEqual(keyspace.recognise(bucket, keyspace.keyOf(index)), { isProbe: false, isCopy: false, index });
      assert.deepEqual(keyspace.recognise(bucket, keyspace.probeKeyOf(index)), { isProbe: true, isCopy: false, index });
      assert.deepEqual(keyspace.recognise(bucket, keyspace.copyKeyOf(index)), { isProbe: false, isCopy: true, index });
      const probeCopy = keyspace.probes.copyKeyOf(index);
      assert.deepEqual(keyspace.recognise(bucket, probeCopy), { isProbe: true, isCopy: true, index });
      assert.equal(keyspace.probeCopies.keyOf(index), probeCopy);
      assert.equal(keyspace.indexOf(bucket, keyspace.copyKeyOf(index)), -1);
    }),
  );
});

test('Row 32: no probe has the key of an object, whatever the size or shard of the run', () => {
  fc.assert(
    fc.property(anyLayout, anyIndex, anyIndex, (layout, one, other) => {
      const keyspace = new Keyspace(layout);
      assert.notEqual(keyspace.probeKeyOf(one), keyspace.keyOf(other));
      assert.equal(keyspace.indexOf(keyspace.bucketOf(one), keyspace.probeKeyOf(one)), -1);
    }),
  );
});

test('a marker counts as a probe, and sorts before all objects, so that no page of a list contains it', () => {
  const keyspace = new Keyspace(LAYOUT);
  const marker = keyspace.markerKeyOf(4096);
  assert.deepEqual(keyspace.recogniseName(marker), { isProbe: true, isCopy: false, index: 4096 });
  assert.ok(marker < `${keyspace.keyPrefix}0`);
  for (const name of ['-4096', '-running-', '-running-copy-1', '00000000-running-4096', '-running-01']) {
    assert.equal(keyspace.recogniseName(keyspace.keyPrefix + name), null, name);
  }
});

test('a key in a different bucket is foreign', () => {
  const keyspace = new Keyspace(LAYOUT);
  for (let index = 0; index < 100; index++) {
    const own = keyspace.bucketOf(index);
    for (const bucket of [...LAYOUT.buckets, 'elsewhere', ''].filter((name) => name !== own)) {
      assert.equal(keyspace.indexOf(bucket, keyspace.keyOf(index)), -1);
    }
  }
});

test('keys of another run, and of another prefix, are foreign', () => {
  const keyspace = new Keyspace(LAYOUT);
  for (const other of [{ runId: 'run-2' }, { runId: 'run-11' }, { runId: 'run-' }, { prefix: 'elsewhere' }]) {
    const theirs = new Keyspace({ ...LAYOUT, ...other });
    for (let index = 0; index < 20; index++) {
      assert.equal(keyspace.recognise(keyspace.bucketOf(index), theirs.keyOf(index)), null);
      assert.equal(keyspace.recognise(keyspace.bucketOf(index), theirs.probeKeyOf(index)), null);
      assert.equal(keyspace.recognise(keyspace.bucketOf(index), theirs.copyKeyOf(index)), null);
    }
  }
});

test('names that only resemble a key are foreign', () => {
  const keyspace = new Keyspace({ ...LAYOUT, buckets: ['one'] });
  const { keyPrefix } = keyspace;
  const name = keyspace.keyOf(7).slice(keyPrefix.length);
  const [digits] = name.split('-');
  const names = [
    `${digits}-07`,
    `${digits}-`,
    `${digits}-8`,
    `${digits}-probe-8`,
    `${digits}-probe-07`,
    `${digits}-probe-`,
    `${digits}-probes-7`,
    `${digits}-probe-probe-7`,
    `${digits}--7`,
    `${digits}-+7`,
    `${digits}-7 `,
    `${digits}-7\n`,
    `${digits}-7.0`,
    `${digits}-7e0`,
    `${digits}-0x7`,
    `${digits}-7/${name}`,
    `${digits.toUpperCase()}G-7`,
    `0${name}`,
    ` ${name}`,
    digits.slice(1),
    name.slice(1),
    '',
    'preflight',
    `${digits}-9007199254740992`,
    `${digits}-9999999999999999`,
    `${digits}-${'9'.repeat(400)}`,
  ];
  for (const foreign of names) {
    assert.equal(keyspace.recognise('one', keyPrefix + foreign), null, JSON.stringify(foreign));
  }
  assert.equal(keyspace.indexOf('one', keyPrefix + name), 7);
});

test('any listed text is read as the index that has this key, or as none', () => {
  const keyspace = new Keyspace(LAYOUT);
  fc.assert(
    fc.property(fc.string(), fc.boolean(), (text, isUnderPrefix) => {
      const key = isUnderPrefix ? keyspace.keyPrefix + text : text;
      const index = keyspace.indexOf('one', key);
      assert.ok(index === -1 || keyspace.keyOf(index) === key);
    }),
  );
});

test('Row 29: run IDs are names that neither extend the prefix nor need escaping', () => {
  for (const runId of ['a', 'A.b_c-9', '20260131T235958Z-7f3a', '.a', 'lists', 'a'.repeat(64)]) {
    assert.ok(isRunId(runId), runId);
  }
  for (const runId of [
    '',
    '-a',
    'list',
    '.',
    '..',
    '...',
    'a/b',
    'a b',
    'a\n',
    'ä',
    'a%2f',
    '*',
    'a'.repeat(65),
    'a'.repeat(1000),
  ]) {
    assert.ok(!isRunId(runId), JSON.stringify(runId));
  }
});

test('prefixes are paths of such names', () => {
  for (const prefix of ['benchmark', 'team/benchmark', 'a/b/c.d', 'a'.repeat(512)]) {
    assert.ok(isPrefix(prefix), prefix);
  }
  for (const prefix of ['', '/', '/a', 'a/', 'a//b', 'a/../b', '.', 'a/.', 'a b', 'a?b', 'ä', 'a\n', 'a'.repeat(513)]) {
    assert.ok(!isPrefix(prefix), JSON.stringify(prefix));
  }
});
