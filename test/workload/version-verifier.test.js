import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ObjectVersions, versionMemory } from '../../lib/workload/object-versions.js';
import { Payload } from '../../lib/workload/payload.js';
import { CarriedVersionVerifier, VersionVerifier } from '../../lib/workload/version-verifier.js';
import { cases } from '../helpers/cases.js';

const payload = new Payload('run-1');
const INDEX = 42;
const OBJECT = 0;

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

/** Version 2 exists; version 3 is being written. */
function inTheMiddle() {
  const versions = new ObjectVersions(versionMemory(1), 1);
  versions.acknowledge(OBJECT, versions.start(OBJECT, false));
  versions.acknowledge(OBJECT, versions.start(OBJECT, false));
  versions.start(OBJECT, false);
  return versions;
}

/**
 * @param {Buffer} body
 * @param {object} [options]
 * @param {number} [options.size] expected size
 * @param {number} [options.position]
 * @param {readonly number[]} [options.cuts]
 * @param {ObjectVersions} [options.versions]
 */
function read(body, { size = body.length, position = 0, cuts = [], versions = inTheMiddle() } = {}) {
  const verifier = new VersionVerifier(payload, versions);
  verifier.begin(INDEX, OBJECT, size, position);
  chunksOf(body, cuts).forEach((chunk) => verifier.accept(chunk));
  const verdict = verifier.end();
  return { verdict, version: verifier.version, mismatch: verifier.mismatch, versions };
}

const anyCuts = fc.array(fc.nat(300), { maxLength: 4 });
const VERDICTS = /** @type {const} */ (['stale', 'stale', 'allowed', 'allowed', 'foreign']);

describe('a body of an object that is overwritten', () => {
  test('is judged by the version it contains, however it is chunked', () => {
    fc.assert(
      fc.property(fc.integer({ min: 4, max: 300 }), fc.nat(4), anyCuts, (size, version, cuts) => {
        const { verdict, version: found } = read(bytesOf(size, version), { cuts });
        assert.deepEqual([verdict, found], [VERDICTS[version], version]);
      }),
    );
  });

  test('is judged by all candidate versions if it lacks the head of the object', () => {
    fc.assert(
      fc.property(fc.integer({ min: 8, max: 100 }), fc.nat(3), fc.integer({ min: 1, max: 200 }), anyCuts, (...any) => {
        const [size, version, position, cuts] = any;
        const part = bytesOf(position + size, version).subarray(position);
        const { verdict, version: found } = read(part, { position, cuts });
        assert.deepEqual([verdict, found], [VERDICTS[version], version]);
      }),
    );
  });

  test('is torn if it combines two versions, even allowed ones', () => {
    fc.assert(
      fc.property(fc.integer({ min: 5, max: 300 }), fc.nat(), anyCuts, fc.boolean(), (size, place, cuts, turned) => {
        const [one, other] = turned ? [3, 2] : [2, 3];
        const [head, tail] = [bytesOf(size, one), bytesOf(size, other)];
        const middle = 4 + (place % (size - 4));
        const torn = Buffer.concat([head.subarray(0, middle), tail.subarray(middle)]);
        fc.pre(!torn.equals(head));
        const { verdict, mismatch } = read(torn, { cuts });
        assert.equal(verdict, 'torn');
        assert.ok(mismatch >= middle && mismatch < size);
      }),
    );
  });

  test('of a part without the head is torn in the same way', () => {
    const part = Buffer.concat([bytesOf(60, 2).subarray(20, 40), bytesOf(60, 3).subarray(40, 60)]);
    assert.equal(read(part, { position: 20 }).verdict, 'torn');
  });

  test('is wrong if it is too short or too long', () => {
    assert.equal(read(bytesOf(20, 2), { size: 30 }).verdict, 'another length');
    assert.equal(read(bytesOf(30, 2), { size: 20 }).verdict, 'another length');
    assert.equal(read(Buffer.alloc(0), { size: 20 }).verdict, 'another length');
  });

  test('matches any version if it is empty, and few bytes match a fitting one', () => {
    assert.equal(read(Buffer.alloc(0)).verdict, 'allowed');
    assert.deepEqual(
      [1, 2, 3].map((size) => read(bytesOf(size, 2)).verdict),
      ['allowed', 'allowed', 'allowed'],
    );
    assert.equal(read(bytesOf(3, 1)).verdict, 'stale');
    assert.equal(read(bytesOf(3, 99)).verdict, 'torn');
  });

  test('keeps later reads from returning an older one, unless it is torn', () => {
    const { versions } = read(bytesOf(20, 3));
    assert.equal(read(bytesOf(20, 2), { versions }).verdict, 'stale');
    const { versions: others } = read(Buffer.alloc(0));
    assert.equal(read(bytesOf(20, 2), { versions: others }).verdict, 'allowed');
  });

  test('is foreign if the store had refused it', () => {
    const versions = new ObjectVersions(versionMemory(1), 1);
    versions.refuse(OBJECT, versions.start(OBJECT, false));
    assert.equal(read(bytesOf(20, 1), { versions }).verdict, 'foreign');
    assert.equal(read(bytesOf(20, 0), { versions }).verdict, 'allowed');
  });

  test('may be a version whose write had no response, even after later ones', () => {
    const versions = new ObjectVersions(versionMemory(1), 1);
    const lost = versions.start(OBJECT, false);
    versions.doubt(OBJECT, lost);
    versions.refuse(OBJECT, lost);
    versions.acknowledge(OBJECT, versions.start(OBJECT, false));
    assert.equal(read(bytesOf(20, 1), { versions }).verdict, 'maybe');
    assert.equal(read(bytesOf(20, 2), { versions }).verdict, 'allowed');
    assert.equal(read(bytesOf(20, 0), { versions }).verdict, 'stale');
  });
});

/**
 * @param {Buffer} body
 * @param {{ size?: number, position?: number, cuts?: readonly number[] }} [options]
 */
function carried(body, { size = body.length, position = 0, cuts = [] } = {}) {
  const verifier = new CarriedVersionVerifier(payload);
  verifier.begin(INDEX, size, position);
  chunksOf(body, cuts).forEach((chunk) => verifier.accept(chunk));
  return verifier.end();
}

describe('a body of an object from another run', () => {
  test('is right in whatever version it contains', () => {
    fc.assert(
      fc.property(fc.integer({ min: 4, max: 300 }), fc.nat(5000), anyCuts, (size, version, cuts) => {
        assert.equal(carried(bytesOf(size, version), { cuts }), -1);
      }),
    );
  });

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

  test('without its head, is wrong if its bytes come from two versions', () => {
    const [one, other] = [bytesOf(60, 3000), bytesOf(60, 3001)].map((body) => body.subarray(20));
    const torn = Buffer.concat([one.subarray(0, 20), other.subarray(20)]);
    assert.ok(carried(torn, { position: 20 }) >= 20);
    assert.ok(carried(torn, { position: 20, cuts: [20] }) >= 40);
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

  test('is wrong if it is too short, too long, or of another object', () => {
    assert.equal(carried(bytesOf(20, 1), { size: 30 }), 20);
    assert.equal(carried(bytesOf(30, 1), { size: 20 }), 20);
    assert.ok(carried(/** @type {Buffer} */ (payload.body(INDEX + 1, 20))) >= 0);
  });
});
