import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { etagDigest, mayResendAtOnce } from '../../lib/store/object-connection.js';
import { S3_CALLS } from '../../lib/store/s3-calls.js';

/** @param {string} etag */
function digestOf(etag) {
  return etagDigest(Buffer.from(etag, 'latin1'));
}

test('the digest is FNV-1a of 32 bits, by its published values', () => {
  assert.deepEqual(['a', 'foobar'].map(digestOf), [0xe40c292c, 0xbf9cf968]);
});

test('quotes, the mark of a weak ETag and case make no difference', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[0-9a-f-]{0,40}$/), (etag) => {
      for (const other of [`"${etag}"`, `W/"${etag}"`, `w/${etag}`, `"${etag.toUpperCase()}"`]) {
        assert.equal(digestOf(other), digestOf(etag), other);
      }
    }),
  );
});

test('the digest is an unsigned 32-bit integer, and 0 only if there is no ETag', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (etag) => {
      const digest = etagDigest(etag);
      assert.equal(digest >>> 0, digest);
      assert.ok(digest > 0 || /^(.\/)?"*$/s.test(Buffer.from(etag).toString('latin1')));
    }),
  );
  for (const none of ['', '""', 'W/""']) {
    assert.equal(digestOf(none), 0);
  }
});

/** @param {number} idle ms between the attempt before and this one */
function connectionIdleFor(idle) {
  return { startedAt: 5000 + idle, idleSince: 5000 };
}

test('whatever does not write may be sent again at once', () => {
  for (const call of [S3_CALLS.GetObject, S3_CALLS.HeadObject, S3_CALLS.DeleteObject]) {
    assert.equal(mayResendAtOnce(connectionIdleFor(0), call, 5000), true);
    assert.equal(mayResendAtOnce(connectionIdleFor(60_000), call, 500_000), true);
  }
});

test('a write may only be sent again at once over a connection that had been idle for a second', () => {
  assert.deepEqual(
    [0, 999, 1000, 60_000].map((idle) => mayResendAtOnce(connectionIdleFor(idle), S3_CALLS.PutObject, 5000 + idle)),
    [false, false, true, true],
  );
  assert.equal(mayResendAtOnce(connectionIdleFor(0), S3_CALLS.CopyObject, 5000), false, 'a copy is a write');
});

test('a write that broke a second after it had begun was not sent over a connection that the store had closed before', () => {
  const connection = connectionIdleFor(60_000);
  assert.deepEqual(
    [0, 999, 1000, 60_000].map((ran) => mayResendAtOnce(connection, S3_CALLS.PutObject, connection.startedAt + ran)),
    [true, true, false, false],
  );
});

test('a POST is never sent again at once: it may do twice what it does', () => {
  assert.equal(mayResendAtOnce(connectionIdleFor(60_000), S3_CALLS.DeleteObjects, 65_000), false);
});
