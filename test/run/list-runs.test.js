import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunTally, listRuns } from '../../lib/run/cleanup/list-runs.js';
import { LIST_START } from '../../lib/store/bucket-admin.js';
import { AttemptError } from '../../lib/store/s3-error.js';
import { Keyspace } from '../../lib/load/workload/keyspace.js';
import { cases } from '../helpers/cases.js';
import { FakeAdmin } from '../helpers/fake-admin.js';
import { ManualClock } from '../helpers/manual-clock.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';

const BUCKETS = ['one', 'two'];
const { store } = runConfig({ ...NO_TARGET, buckets: BUCKETS });
const PREFIX = 'load/benchmark';

/** @param {string} runId */
function keyspaceOf(runId) {
  return new Keyspace({ runId, prefix: PREFIX, buckets: BUCKETS });
}

/**
 * @param {Record<string, number>} objects how many each run has left
 * @param {Record<string, string[]>} [others] keys by bucket
 * @returns {Record<string, string[]>} keys by bucket
 */
function keysOf(objects, others = {}) {
  /** @type {Record<string, string[]>} */
  const keys = { one: [...(others.one ?? [])], two: [...(others.two ?? [])] };
  for (const [runId, count] of Object.entries(objects)) {
    const keyspace = keyspaceOf(runId);
    for (let index = 0; index < count; index++) {
      keys[keyspace.bucketOf(index)].push(keyspace.keyOf(index));
    }
  }
  return keys;
}

/** @param {FakeAdmin} admin */
function list(admin) {
  const access = { admin: /** @type {any} */ (admin), retry: (/** @type {() => any} */ request) => request() };
  const tally = new RunTally(PREFIX);
  return listRuns({ access, prefix: PREFIX, store, clock: new ManualClock(0), tally });
}

/** @param {Awaited<ReturnType<typeof list>>} listing */
function countsOf({ runs }) {
  return Object.fromEntries(runs.map(({ runId, objects }) => [runId, objects]));
}

test('shows each run with its objects, bytes and times, newest first', async () => {
  const admin = new FakeAdmin(keysOf({ early: 3, late: 2 }));
  admin.modifiedAt = (key) => (key.includes('early') ? 1000 : 5000) + Number(key.slice(-1));
  const { runs, foreign } = await list(admin);
  const bytes = (/** @type {string} */ runId, /** @type {number} */ count) => count * keyspaceOf(runId).keyOf(0).length;
  assert.deepEqual(runs, [
    { runId: 'late', objects: 2, uploads: 0, bytes: bytes('late', 2), oldest: 5000, newest: 5001 },
    { runId: 'early', objects: 3, uploads: 0, bytes: bytes('early', 3), oldest: 1000, newest: 1002 },
  ]);
  assert.equal(foreign, 0);
});

test('counts leftover probes with the objects of their run', async () => {
  const keyspace = keyspaceOf('a-run');
  const probes = { [keyspace.bucketOf(7)]: [keyspace.probeKeyOf(7)] };
  const listing = await list(new FakeAdmin(keysOf({ 'a-run': 2 }, probes)));
  assert.deepEqual([countsOf(listing), listing.foreign], [{ 'a-run': 3 }, 0]);
});

test('objects that no run wrote are foreign, and belong to no run', async () => {
  const strangers = ['notes.txt', 'a-run/preflight', 'a-run/00000000-1', '../00000000-1', 'a/b/c', 'ä/0', '~'];
  const others = { one: strangers.map((name) => `${PREFIX}/${name}`), two: ['elsewhere/x', `${PREFIX}x`] };
  const { runs, foreign } = await list(new FakeAdmin(keysOf({ 'a-run': 2 }, others)));
  assert.deepEqual(
    runs.map(({ runId, objects }) => [runId, objects]),
    [['a-run', 2]],
  );
  assert.equal(foreign, strangers.length);
});

test('objects in other buckets than their keys map to belong to their run: clean-up finds out the order', async () => {
  const reversed = new Keyspace({ runId: 'a-run', prefix: PREFIX, buckets: [...BUCKETS].reverse() });
  /** @type {Record<string, string[]>} */
  const keys = { one: [], two: [] };
  for (let index = 0; index < 50; index++) {
    keys[reversed.bucketOf(index)].push(reversed.keyOf(index));
  }
  const listing = await list(new FakeAdmin(keys));
  assert.deepEqual([countsOf(listing), listing.foreign], [{ 'a-run': 50 }, 0]);
});

test('Row 36: gives up on pages that are empty and not the last', async () => {
  const admin = new FakeAdmin(keysOf({ 'a-run': 3 }));
  admin.listPage = async () => ({ objects: [], next: LIST_START });
  const { problem, isTransient } = await list(admin);
  assert.match(String(problem), /continues after 100 pages in a row without anything/);
  assert.equal(isTransient, true, 'the store is at fault');
});

test('a prefix without objects has no runs', async () => {
  assert.deepEqual((await list(new FakeAdmin({ one: [], two: [] }))).runs, []);
});

test('reads each page once, and does not lose a small run next to a large one', async () => {
  const objects = { 'a-small-run': 5, 'b-large-run': 30_000, 'c-small-run': 7 };
  const admin = new FakeAdmin(keysOf(objects));
  assert.deepEqual(countsOf(await list(admin)), objects);
  assert.ok(admin.lists <= 32, `${admin.lists} requests for 31 pages`);
});

test('counts each object once, for any content and page length', async () => {
  const runId = fc.stringMatching(/^[0-9a-zA-Z_][0-9a-zA-Z_-]{0,2}$/);
  const stranger = fc.oneof(fc.stringMatching(/^[0-9a-f]{1,8}(\/[0-9a-f~z]{0,3})?$/), fc.string({ maxLength: 4 }));
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(runId, fc.integer({ min: 1, max: 40 }), { maxKeys: 6, noNullPrototype: true }),
      fc.uniqueArray(stranger, { maxLength: 10 }),
      fc.integer({ min: 1, max: 50 }),
      async (objects, strangers, pageLength) => {
        const others = { one: strangers.map((name) => `${PREFIX}/${name}`) };
        const listing = await list(new FakeAdmin(keysOf(objects, others), { pageLength }));
        assert.deepEqual(countsOf(listing), objects);
        assert.equal(listing.foreign, strangers.length);
      },
    ),
    { numRuns: cases(60) },
  );
});

test('throws an unexpected error', async () => {
  const error = new Error('no');
  const admin = new FakeAdmin(
    {},
    {
      before: () => {
        throw error;
      },
    },
  );
  await assert.rejects(list(admin), error);
});

test('reports a refusal of the store', async () => {
  const admin = new FakeAdmin(
    {},
    {
      before: () => {
        throw new AttemptError({ kind: 'denied', handling: 'stop', message: 'HTTP 403 AccessDenied', status: 403 });
      },
    },
  );
  const { problem, isTransient } = await list(admin);
  assert.match(String(problem), /^list in buckets "one", "two" was refused \(HTTP 403 AccessDenied\)/);
  assert.equal(isTransient, false);
});
