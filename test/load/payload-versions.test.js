import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { mix32, unmix32 } from '../../lib/load/workload/mix.js';
import { MAX_VIEW_BYTES, Payload } from '../../lib/load/workload/payload.js';

const payload = new Payload('run-1');

const anyIndex = fc.nat(10_000);
const anyVersion = fc.oneof(fc.nat(40), fc.nat(2 ** 20));

/**
 * @param {number} index
 * @param {number} size
 * @param {number} version
 */
function bytesOf(index, size, version) {
  const body = payload.bodyOf(index, size, version);
  return Buffer.isBuffer(body) ? body : Buffer.concat([...body]);
}

test('scrambling is reversible, and leaves 0 unchanged', () => {
  fc.assert(fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (value) => unmix32(mix32(value)) === value));
  assert.equal(mix32(0), 0);
});

test('version 0 is the payload from before versions were introduced', () => {
  fc.assert(
    fc.property(anyIndex, fc.nat(300), (index, size) => {
      assert.deepEqual(bytesOf(index, size, 0), payload.body(index, size));
    }),
  );
});

test('the first four bytes identify the version', () => {
  fc.assert(
    fc.property(anyIndex, anyVersion, fc.integer({ min: 4, max: 300 }), (index, version, size) => {
      assert.equal(payload.versionIn(index, bytesOf(index, size, version).subarray(0, 4)), version);
    }),
  );
});

test('verifies a version however it is cut, and finds a wrong byte at its offset', () => {
  fc.assert(
    fc.property(
      ...[anyIndex, anyVersion, fc.integer({ min: 1, max: 300 }), fc.nat(), fc.nat()],
      (index, version, size, cut, place) => {
        const body = bytesOf(index, size, version);
        const start = cut % size;
        assert.equal(payload.firstMismatchOf(index, version, start, body.subarray(start)), -1);
        const offset = start + (place % (size - start));
        const wrong = Buffer.from(body);
        wrong[offset] ^= 1;
        assert.equal(payload.firstMismatchOf(index, version, start, wrong.subarray(start)), offset);
      },
    ),
  );
});

test('two versions of an object share no stretch of bytes, with or without the head', () => {
  fc.assert(
    fc.property(anyIndex, anyVersion, anyVersion, (index, one, other) => {
      fc.pre(one !== other);
      const [body, otherBody] = [bytesOf(index, 64, one), bytesOf(index, 64, other)];
      assert.notDeepEqual(body.subarray(0, 4), otherBody.subarray(0, 4));
      for (let start = 4; start + 12 <= 64; start += 12) {
        assert.notDeepEqual(body.subarray(start, start + 12), otherBody.subarray(start, start + 12));
      }
    }),
  );
});

test('an object larger than a view has one version from its first to its last byte', () => {
  const size = 2 * MAX_VIEW_BYTES + 777;
  for (const version of [0, 1, 12_345]) {
    const body = bytesOf(7, size, version);
    assert.equal(body.length, size);
    assert.equal(payload.firstMismatchOf(7, version, 0, body), -1);
    assert.equal(payload.firstMismatchOf(7, version + 1, 0, body), 0);
    assert.equal(payload.firstMismatchOf(7, version + 1, 4, body.subarray(4)), 4);
  }
});

test('a body no larger than a view is a buffer, also at the end of a lap', () => {
  for (let version = 0; version < 20; version++) {
    const body = payload.bodyOf(7, MAX_VIEW_BYTES, version);
    assert.ok(Buffer.isBuffer(body));
    assert.equal(payload.firstMismatchOf(7, version, 0, body), -1);
  }
});
