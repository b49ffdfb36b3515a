import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayResendAtOnce } from '../../lib/s3/stale-connection.js';

/** @import { ObjectConnection } from '../../lib/s3/object-store.js' */

/** @param {number} idle ms between the attempt before and this one */
function connectionIdleFor(idle) {
  return /** @type {ObjectConnection} */ ({
    startedAt: 5000 + idle,
    idleSince: 5000,
  });
}

test('whatever does not write may be sent anew at once', () => {
  assert.equal(mayResendAtOnce(connectionIdleFor(0), false), true);
  assert.equal(mayResendAtOnce(connectionIdleFor(60_000), false), true);
});

test('a write may only be sent anew at once over a connection that had been idle for a second', () => {
  assert.deepEqual(
    [0, 999, 1000, 60_000].map((idle) => mayResendAtOnce(connectionIdleFor(idle), true)),
    [false, false, true, true],
  );
});
