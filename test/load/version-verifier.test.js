import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Payload, VersionVerifier } from '../../lib/load/workload/payload.js';
import { cases } from '../helpers/cases.js';

const payload = new Payload('run-1');
const INDEX = 42;

/**
 * @param {number} size
 * @param {number} version
 */
function bytesOf(size, version) {
  return /** @type {Buffer} */ (payload.bodyOf(INDEX, size, version));
}

/**
 * @param {Buffer} body
 * @param {readonly number[]} cuts offsets at which a chunk ends, in any order
 */
function chunksOf(body, cuts) {
  const edges = [0, ...cuts.map((cut) => cut % (body.length + 1)).sort((one, other) => one - other), body.length];
  return edges.slice(1).map((edge, place) => body.subarray(edges[place], edge));
}

/**
 * @param {Buffer} body of an object whose last version is 3; reads may return version 2
 * @param {{ size?: number, position?: number, cuts?: readonly number[] }} [options] `size`: expected size
 */
function read(body, { size = body.length, position = 0, cuts = [] } = {}) {
  const verifier = new VersionVerifier(payload, () => 3);
  verifier.beginVersion({ index: INDEX, localIndex: 0, size }, position, 2);
  chunksOf(body, cuts).forEach((chunk) => verifier.accept(chunk));
  return { mismatch: verifier.end(), version: verifier.version };
}

const anyCuts = fc.array(fc.nat(300), { maxLength: 4 });

describe('a body of an object that is overwritten', () => {
  test('shows its version, up to the last one begun, however it is chunked', () => {
    fc.assert(
      fc.property(fc.integer({ min: 4, max: 300 }), fc.nat(3), anyCuts, (size, version, cuts) => {
        assert.deepEqual(read(bytesOf(size, version), { cuts }), { mismatch: -1, version });
        assert.equal(read(bytesOf(size, 4), { cuts }).mismatch, 0);
      }),
    );
  });

  test('is compared with all versions if it lacks the head of the object', () => {
    fc.assert(
      fc.property(fc.integer({ min: 8, max: 100 }), fc.nat(3), fc.integer({ min: 1, max: 200 }), anyCuts, (...any) => {
        const [size, version, position, cuts] = any;
        const part = bytesOf(position + size, version).subarray(position);
        assert.deepEqual(read(part, { position, cuts }), { mismatch: -1, version });
      }),
    );
  });

  test('is torn if it combines two versions, even allowed ones', () => {
    fc.assert(
      fc.property(fc.integer({ min: 9, max: 300 }), fc.nat(), anyCuts, fc.boolean(), (size, place, cuts, turned) => {
        const [one, other] = turned ? [3, 2] : [2, 3];
        const [head, tail] = [bytesOf(size, one), bytesOf(size, other)];
        const middle = 8 + (place % (size - 8));
        const torn = Buffer.concat([head.subarray(0, middle), tail.subarray(middle)]);
        fc.pre(!torn.equals(head));
        const { mismatch } = read(torn, { cuts });
        assert.ok(mismatch >= middle && mismatch < size);
        const start = 5 + (place % 3);
        fc.pre(middle - start >= 8);
        assert.ok(read(torn.subarray(start), { position: start, cuts }).mismatch >= middle);
      }),
    );
  });

  test('is wrong if it is too short or too long', () => {
    assert.equal(read(bytesOf(20, 2), { size: 30 }).mismatch, 20);
    assert.equal(read(bytesOf(30, 2), { size: 20 }).mismatch, 20);
    assert.equal(read(Buffer.alloc(0), { size: 20 }).mismatch, 0);
  });

  test('matches any version if it is empty, and few bytes match the first fitting version from the expected one on', () => {
    assert.deepEqual(read(Buffer.alloc(0)), { mismatch: -1, version: -1 });
    for (const size of [1, 2, 3]) {
      assert.deepEqual(read(bytesOf(size, 2)), { mismatch: -1, version: 2 });
    }
    assert.deepEqual(read(bytesOf(3, 1)), { mismatch: -1, version: 1 });
    assert.equal(read(bytesOf(3, 99)).mismatch, 0);
  });
});

/**
 * @param {Buffer} body
 * @param {{ size?: number, position?: number, cuts?: readonly number[] }} [options]
 */
function carried(body, { size = body.length, position = 0, cuts = [] } = {}) {
  const verifier = new VersionVerifier(payload);
  verifier.begin(INDEX, size, position);
  chunksOf(body, cuts).forEach((chunk) => verifier.accept(chunk));
  return verifier.end();
}

describe('a body of an object from another run', () => {
  test('is right without its head in any version, up to one per second for a week', () => {
    for (const version of [0, 1, 1000, 1024, 5000, 604_800]) {
      assert.equal(carried(bytesOf(60, version).subarray(20), { position: 20 }), -1);
      assert.equal(carried(bytesOf(60, version).subarray(20), { position: 20, cuts: [11, 30] }), -1);
    }
    assert.ok(carried(bytesOf(60, 604_801).subarray(20), { position: 20 }) >= 20);
  });

  test('is right wherever a part of it starts, even in its head, and however short it is', () => {
    fc.assert(
      fc.property(
        fc.nat(7000),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 12 }),
        (version, at, size) => {
          const part = bytesOf(at + size, version).subarray(at);
          assert.equal(carried(part, { position: at }), -1);
        },
      ),
      { numRuns: cases(50) },
    );
  });

  test('is wrong from the first byte that matches no version', () => {
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 300 }), fc.nat(50), fc.nat(), anyCuts, (size, version, place, cuts) => {
        const body = Buffer.from(bytesOf(size, version));
        const offset = 4 + (place % (size - 4));
        body[offset] ^= 1;
        assert.equal(carried(body, { cuts }), offset);
      }),
    );
  });
});
