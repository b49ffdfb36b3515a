import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CACHE_HEADERS, cacheStatusOf, isCopy } from '../../lib/store/public-store.js';

/** @param {string} name */
function reader(name) {
  return (/** @type {string} */ value) => cacheStatusOf(CACHE_HEADERS.indexOf(name), value);
}

/** @type {readonly [header: string, value: string, status: string][]} */
const CASES = [
  ...['HIT', 'MISS', 'EXPIRED', 'REVALIDATED', 'STALE', 'UPDATING', 'BYPASS', 'DYNAMIC'].map(
    (status) => /** @type {[string, string, string]} */ (['cf-cache-status', status, status]),
  ),
  ['cf-cache-status', 'hit', 'HIT'],
  ['cf-cache-status', '', 'none'],
  ['cf-cache-status', 'NONE/UNKNOWN', 'other'],
  ['cf-cache-status', 'HITCHHIKER', 'other'],
  ['x-cache', 'Hit from cloudfront', 'HIT'],
  ['x-cache', 'Miss from cloudfront', 'MISS'],
  ['x-cache', 'MISS, HIT', 'HIT'],
  ['x-cache', 'TCP_HIT from a1-2-3-4.deploy.akamaitechnologies.com', 'HIT'],
  ['x-cache', 'TCP_MEM_HIT', 'HIT'],
  ['x-cache', 'RefreshHit from cloudfront', 'other'],
  ['x-cache-status', 'EXPIRED', 'EXPIRED'],
  ['x-cache-status', '-', 'none'],
  ['cache-status', 'ExampleCache; hit', 'HIT'],
  ['cache-status', 'ExampleCache; hit; ttl=376', 'HIT'],
  ['cache-status', 'ExampleCache; hit; ttl=-412', 'STALE'],
  ['cache-status', 'ExampleCache; fwd=uri-miss; stored', 'MISS'],
  ['cache-status', 'ExampleCache; fwd=vary-miss', 'MISS'],
  ['cache-status', 'ExampleCache; fwd=miss; collapsed', 'MISS'],
  ['cache-status', 'ExampleCache; fwd=partial', 'MISS'],
  ['cache-status', 'ExampleCache; fwd=stale; fwd-status=200', 'EXPIRED'],
  ['cache-status', 'ExampleCache; fwd=stale; fwd-status=304', 'REVALIDATED'],
  ['cache-status', 'ExampleCache; fwd=bypass', 'BYPASS'],
  ['cache-status', 'ExampleCache; fwd=request', 'BYPASS'],
  ['cache-status', 'ExampleCache; fwd=method', 'DYNAMIC'],
  ['cache-status', 'ExampleCache; fwd=constructor', 'other'],
  ['cache-status', 'ExampleCache', 'other'],
  ['cache-status', '', 'none'],
  ['cache-status', 'OriginCache; hit; ttl=1100, "CDN Company Here"; fwd=uri-miss', 'MISS'],
];

for (const [header, value, status] of CASES) {
  test(`${header}: ${value === '' ? '(nothing)' : value} is ${status}`, () => {
    const read = reader(header);
    // The second time, it is remembered.
    assert.deepEqual([read(value), read(value)], [status, status]);
  });
}

test('copies are what a cache had before the request', () => {
  assert.deepEqual(
    ['HIT', 'STALE', 'UPDATING', 'REVALIDATED', 'MISS', 'EXPIRED', 'BYPASS', 'DYNAMIC', 'other', 'none', undefined].map(
      (status) => isCopy(/** @type {any} */ (status)),
    ),
    [true, true, true, true, false, false, false, false, false, false, false],
  );
});

test('answers that say something else each time take no memory without an end', () => {
  const read = reader('x-cache');
  for (let number = 0; number < 5000; number++) {
    assert.equal(read(`HIT ${number}`), 'HIT');
  }
});
