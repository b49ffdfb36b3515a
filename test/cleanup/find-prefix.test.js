import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPrefix } from '../../lib/cleanup/find-prefix.js';
import { AttemptError } from '../../lib/s3/s3-error.js';
import { Keyspace } from '../../lib/workload/keyspace.js';
import { FakeAdmin } from '../helpers/fake-admin.js';

const BUCKETS = ['one', 'two'];

/**
 * @param {string} prefix
 * @param {string} [runId]
 */
function keyUnder(prefix, runId = 'a-run') {
  return new Keyspace({ runId, prefix, buckets: BUCKETS }).keyOf(3);
}

/** @param {FakeAdmin} admin */
function find(admin) {
  const access = { admin: /** @type {any} */ (admin), retry: (/** @type {() => any} */ request) => request() };
  return findPrefix({ access, runId: 'a-run', buckets: BUCKETS });
}

/** @param {number} count */
function loose(count) {
  return Array.from({ length: count }, (_, number) => `${number}.txt`);
}

test('finds a run under another prefix, in any bucket, among other keys', async () => {
  const noise = [...loose(30), keyUnder('benchmark', 'another'), 'photos/a.jpg', 'photos/b.jpg', 'photos/c/d/e.jpg'];
  for (const prefix of ['load', 'team/load', 'zzz']) {
    for (const pageLength of [1000, 3]) {
      const admin = new FakeAdmin({ one: noise, two: ['x', keyUnder(prefix)] }, { pageLength });
      assert.equal(await find(admin), prefix);
    }
  }
});

test('finds neither an absent run nor foreign objects in a folder with its name', async () => {
  assert.equal(await find(new FakeAdmin({ one: [], two: [] })), null);
  assert.equal(await find(new FakeAdmin({ one: ['load/a-run/notes.txt', 'load/a-run/00000000-1'], two: [] })), null);
});

test('the search ends after some requests, whatever a bucket contains', async () => {
  const folders = Array.from({ length: 500 }, (_, number) => `folder-${number}/x/y`);
  for (const keys of [folders, loose(5000)]) {
    const admin = new FakeAdmin({ one: keys, two: [keyUnder('load')] }, { pageLength: 10 });
    assert.equal(await find(admin), null);
    assert.ok(admin.lists <= 60, `${admin.lists} requests`);
  }
});

test('finds nothing without permission to list a whole bucket', async () => {
  const before = () => {
    throw new AttemptError({ kind: 'denied', handling: 'stop', message: 'HTTP 403', status: 403 });
  };
  assert.equal(await find(new FakeAdmin({ one: [], two: [keyUnder('load')] }, { before })), null);
});
