import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cacheStatusOf, isCopy } from '../../lib/store/public-store.js';

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
];

for (const [header, value, status] of CASES) {
  test(`${header}: ${value === '' ? '(nothing)' : value} is ${status}`, () => {
    // The second time, it is remembered.
    assert.deepEqual([cacheStatusOf(value), cacheStatusOf(value)], [status, status]);
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
  for (let number = 0; number < 5000; number++) {
    assert.equal(cacheStatusOf(`HIT ${number}`), 'HIT');
  }
});
