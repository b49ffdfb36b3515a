import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanUp } from '../../lib/run/cleanup/cleanup.js';
import { RunTally, listRuns } from '../../lib/run/cleanup/list-runs.js';
import { isClean } from '../../lib/result/completeness.js';
import { AttemptError } from '../../lib/store/s3-error.js';
import { Keyspace } from '../../lib/load/workload/keyspace.js';
import { cases } from '../helpers/cases.js';
import { FakeAdmin } from '../helpers/fake-admin.js';
import { ManualClock } from '../helpers/manual-clock.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';

/** @import { OwnKey } from '../../lib/load/workload/keyspace.js' */

const BUCKETS = ['one', 'two'];
const LAYOUT = { runId: 'run-1', prefix: 'benchmark', buckets: BUCKETS };
const KEYSPACE = new Keyspace(LAYOUT);

/** Keys that the run cannot have written. */
const FOREIGN = ['benchmark/run-10/00000000-0', 'benchmark/run-1/0badcafe-7', 'benchmark/run-1/zzz', 'a', 'zebra'];

/**
 * @param {FakeAdmin} admin
 * @param {object} [choice]
 * @param {((own: OwnKey) => boolean) | null} [choice.owns]
 * @param {(own: OwnKey) => boolean} [choice.ownsUpload]
 * @param {boolean} [choice.outcomeUnknown]
 * @param {Keyspace} [choice.keyspace]
 */
function cleanUpWith(admin, { ownsUpload = () => true, keyspace = KEYSPACE, ...choice } = {}) {
  const { owns = () => true, outcomeUnknown = false } = choice;
  return cleanUp({
    admin: /** @type {any} */ (admin),
    keyspace,
    owns,
    ownsUpload,
    reconciliation: null,
    versioned: new Set(),
    retry: (request) => request(),
    outcomeUnknown,
    wait: async () => assert.ok(outcomeUnknown, 'no reason to wait'),
  });
}

/**
 * @param {FakeAdmin} admin
 * @param {number} count of objects with an upload each
 */
function plantUploads(admin, count) {
  for (let index = 0; index < count; index++) {
    admin.plantUpload(KEYSPACE.bucketOf(index), KEYSPACE.keyOf(index), `id-${index}`);
  }
}

/** @param {FakeAdmin} admin */
function uploadsLeft(admin) {
  return BUCKETS.flatMap((bucket) => admin.uploadsOf(bucket).map(({ key }) => key));
}

test('aborts the uploads of a run, and no others, for any page length and kind of list', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(40),
      fc.integer({ min: 1, max: 7 }),
      fc.boolean(),
      fc.subarray(FOREIGN),
      async (count, pageLength, listsWholeKeys, foreign) => {
        const admin = new FakeAdmin({ one: [], two: [] }, { pageLength, listsWholeKeys });
        plantUploads(admin, count);
        foreign.forEach((key) => admin.plantUpload('one', key, 'foreign'));
        const result = await cleanUpWith(admin);
        assert.deepEqual([result.uploads, result.uploadsLeft, result.left], [count, 0, 0]);
        assert.ok(isClean(result));
        assert.deepEqual(uploadsLeft(admin).sort(), [...foreign].sort());
      },
    ),
    { numRuns: cases(60) },
  );
});

test('aborts several uploads of one key separately', async () => {
  const admin = new FakeAdmin({ one: [], two: [] }, { pageLength: 2 });
  for (const id of ['a', 'b', 'c', 'd', 'e']) {
    admin.plantUpload(KEYSPACE.bucketOf(3), KEYSPACE.keyOf(3), id);
  }
  const { uploads, uploadsLeft: left } = await cleanUpWith(admin);
  assert.deepEqual([uploads, left], [5, 0]);
});

test('the uploads of another shard stay', async () => {
  const admin = new FakeAdmin({ one: [], two: [] });
  plantUploads(admin, 10);
  const result = await cleanUpWith(admin, { ownsUpload: ({ index }) => index % 2 === 0 });
  assert.deepEqual([result.uploads, result.uploadsLeft], [5, 0]);
  assert.equal(uploadsLeft(admin).length, 5);
});

test('Row 34: aborts uploads of a run that used the buckets in another order', async () => {
  const admin = new FakeAdmin({ one: [], two: [] });
  plantUploads(admin, 5);
  const result = await cleanUpWith(admin, { keyspace: new Keyspace({ ...LAYOUT, buckets: ['two', 'one'] }) });
  assert.deepEqual([result.uploads, result.uploadsLeft, result.otherBuckets], [5, 0, null]);
  assert.deepEqual(uploadsLeft(admin), []);
});

test('an upload in a bucket where no order of the buckets puts it stays', async () => {
  const admin = new FakeAdmin({ one: [], two: [] });
  BUCKETS.forEach((bucket) => admin.plantUpload(bucket, KEYSPACE.keyOf(5), 'id'));
  const result = await cleanUpWith(admin);
  assert.deepEqual([result.uploads, result.uploadsLeft], [1, 0]);
  assert.equal(uploadsLeft(admin).length, 1);
});

/**
 * @param {boolean} listsWholeKeys
 * @param {number} count of foreign uploads
 */
async function cleanUpAmongOthers(listsWholeKeys, count) {
  let requests = 0;
  const before = (/** @type {string} */ request) => {
    requests += Number(request === 'uploads');
  };
  const admin = new FakeAdmin({ one: [], two: [] }, { listsWholeKeys, pageLength: 5, before });
  for (let index = 0; index < count; index++) {
    admin.plantUpload('one', `others/${String(index).padStart(6, '0')}`, 'id');
  }
  return { result: await cleanUpWith(admin, { owns: null }), requests };
}

for (const listsWholeKeys of [false, true]) {
  test(`walks a limited number of foreign uploads${listsWholeKeys ? ' if the store lists only by complete key' : ''}, and reports if there are more`, async () => {
    const few = await cleanUpAmongOthers(listsWholeKeys, 500);
    assert.deepEqual([few.result.uploadsLeft, few.result.problems], [0, []]);
    const many = await cleanUpAmongOthers(listsWholeKeys, 600);
    assert.equal(many.result.uploadsLeft, -1);
    assert.match(
      many.result.problems[0],
      /could not be listed and aborted: the list of bucket one continues after 100 pages in a row without anything relevant$/,
    );
    assert.ok(many.requests <= 2 * (1 + 100 + 2), `${many.requests}`);
  });
}

test('lists no objects if only uploads can be left', async () => {
  const admin = new FakeAdmin({ one: [KEYSPACE.keyOf(1)], two: [] });
  plantUploads(admin, 3);
  const result = await cleanUpWith(admin, { owns: null });
  assert.deepEqual([result.uploads, result.uploadsLeft, result.removed, result.left], [3, 0, 0, 0]);
  assert.equal(admin.lists, 0);
});

test('removes objects even if uploads must not be listed, and reports that', async () => {
  const before = (/** @type {string} */ request) => {
    if (request === 'uploads') {
      throw new AttemptError({ kind: 'denied', handling: 'stop', message: 'HTTP 403 AccessDenied', status: 403 });
    }
  };
  const admin = new FakeAdmin({ [KEYSPACE.bucketOf(1)]: [KEYSPACE.keyOf(1)] }, { before });
  const result = await cleanUpWith(admin);
  assert.deepEqual([result.removed, result.left, result.uploadsLeft], [1, 0, -1]);
  assert.match(result.problems[0], /the run's uploads could not be listed and aborted: HTTP 403 AccessDenied/);
  assert.ok(!isClean(result));
});

test('Row 45: a store that cannot list uploads has none, unless the response to a write was lost', async () => {
  const before = (/** @type {string} */ request) => {
    if (request === 'uploads') {
      throw new AttemptError({ kind: 'server-error', handling: 'fail', message: '', status: 501 });
    }
  };
  const admin = new FakeAdmin({ one: [], two: [] }, { before });
  const result = await cleanUpWith(admin);
  assert.deepEqual([result.uploads, result.uploadsLeft, result.problems], [0, 0, []]);
  assert.ok(isClean(result));
  const doubtful = await cleanUpWith(admin, { outcomeUnknown: true });
  assert.deepEqual([doubtful.uploadsLeft, doubtful.problems.length, doubtful.left], [-1, 1, 0]);
  assert.match(doubtful.problems[0], /: the store cannot list uploads, and some may be left/);
  assert.ok(!isClean(doubtful));
});

test('gives up on an endless list of uploads of one key', async () => {
  const admin = new FakeAdmin({ one: [], two: [] });
  let pages = 0;
  admin.listUploadsPage = async (bucket) => {
    pages += 1;
    const upload = { key: KEYSPACE.keyOf(1), uploadId: String(pages), initiatedAt: 0 };
    const next = { after: upload.key, input: { UploadIdMarker: upload.uploadId } };
    return bucket === 'one' ? { uploads: [upload], next } : { uploads: [], next: null };
  };
  const result = await cleanUpWith(admin);
  assert.deepEqual([result.uploadsLeft, result.left], [-1, 0]);
  assert.match(result.problems[0], /the list of bucket one continues after 100 pages in a row/);
});

test('Row 57: the list of runs shows objects even if uploads cannot be listed', async () => {
  const before = (/** @type {string} */ request) => {
    if (request === 'uploads') {
      throw new AttemptError({ kind: 'server-error', handling: 'fail', message: 'HTTP 500', status: 500 });
    }
  };
  const { runs, problem, uploadsProblem } = await list(
    new FakeAdmin({ one: [KEYSPACE.keyOf(0)], two: [] }, { before }),
  );
  assert.deepEqual([runs.length, runs[0].objects, problem, uploadsProblem], [1, 1, null, 'HTTP 500']);
});

/** @param {FakeAdmin} admin */
function list(admin) {
  const { store } = runConfig({ ...NO_TARGET, buckets: BUCKETS });
  const access = { admin: /** @type {any} */ (admin), retry: (/** @type {() => any} */ request) => request() };
  const tally = new RunTally('benchmark');
  return listRuns({ access, prefix: 'benchmark', store, clock: new ManualClock(0), tally });
}

test('the list of runs shows the uploads of each run, even of one without objects', async () => {
  const admin = new FakeAdmin({ one: [KEYSPACE.keyOf(0)], two: [] }, { listsWholeKeys: true });
  plantUploads(admin, 4);
  FOREIGN.forEach((key) => admin.plantUpload('one', key, 'foreign'));
  const other = new Keyspace({ runId: 'run-2', prefix: 'benchmark', buckets: BUCKETS });
  admin.plantUpload(other.bucketOf(1), other.keyOf(1), 'id');
  const { runs, problem } = await list(admin);
  assert.equal(problem, null);
  const counts = runs.map(({ runId, objects, uploads }) => [runId, objects, uploads]).sort();
  assert.deepEqual(counts, [
    ['run-1', 1, 4],
    ['run-2', 0, 1],
  ]);
});
