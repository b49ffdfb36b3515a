import fc from 'fast-check';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { mix32, mixIndex, seedOf } from '../../lib/load/workload/mix.js';

const unsigned32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });

/**
 * The finaliser in reverse, step by step, which proves that it is one-to-one.
 *
 * @param {number} mixed
 */
function unmix32(mixed) {
  let value = mixed ^ (mixed >>> 16);
  value = Math.imul(value, 0x7ed1b41d);
  value ^= (value >>> 13) ^ (value >>> 26);
  value = Math.imul(value, 0xa5cb9243);
  return (value ^ (value >>> 16)) >>> 0;
}

test('mixing is reversible, so that distinct values stay distinct', () => {
  fc.assert(fc.property(unsigned32, (value) => assert.equal(unmix32(mix32(value)), value)));
});

test('mixing follows the published finaliser of MurmurHash3', () => {
  assert.deepEqual([0, 1, 2, 0xffffffff].map(mix32), [0, 0x514e28b7, 0x30f4c306, 0x81f16f39]);
});

test('indices that differ by 2^32 are mixed differently', () => {
  const indices = Array.from({ length: 1000 }, (_, index) => index);
  const same = indices.filter((index) => mixIndex(index, 7) === mixIndex(index + 2 ** 32, 7));
  assert.ok(same.length < 3, `${same.length} of 1,000 are alike`);
});

test("a seed is the start of the text's SHA-256", () => {
  const expected = Number.parseInt(createHash('sha256').update('run-1').digest('hex').slice(0, 8), 16);
  assert.equal(seedOf('run-1'), expected);
  assert.notEqual(seedOf('run-1'), seedOf('run-2'));
});
