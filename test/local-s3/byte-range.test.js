import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestedRange } from '../../lib/local-s3/byte-range.js';

test('a range is the bytes from the first to the last, within the object', () => {
  assert.deepEqual(requestedRange('bytes=0-0', 10), { first: 0, last: 0 });
  assert.deepEqual(requestedRange('bytes=3-5', 10), { first: 3, last: 5 });
  assert.deepEqual(requestedRange('bytes=3-', 10), { first: 3, last: 9 });
  assert.deepEqual(requestedRange('bytes=3-900', 10), { first: 3, last: 9 });
  assert.deepEqual(requestedRange('bytes=-4', 10), { first: 6, last: 9 });
  assert.deepEqual(requestedRange('bytes=-40', 10), { first: 0, last: 9 });
});

test('ignores invalid and multiple ranges', () => {
  for (const header of [undefined, '', 'bytes=', 'bytes=-', 'bytes=5-3', 'bytes=0-1,3-4', 'lines=0-1', 'bytes=a-b']) {
    assert.equal(requestedRange(header, 10), null, header);
  }
});

test('rejects a range outside the object', () => {
  for (const [header, size] of /** @type {const} */ ([
    ['bytes=10-', 10],
    ['bytes=10-12', 10],
    ['bytes=-0', 10],
    ['bytes=0-0', 0],
  ])) {
    assert.throws(() => requestedRange(header, size), { code: 'InvalidRange', status: 416 });
  }
});

test('a requested range is always within the object', () => {
  fc.assert(
    fc.property(fc.nat(100), fc.nat(100), fc.integer({ min: 101, max: 200 }), (one, other, size) => {
      const [first, last] = [Math.min(one, other), Math.max(one, other)];
      assert.deepEqual(requestedRange(`bytes=${first}-${last}`, size), { first, last });
    }),
  );
});
