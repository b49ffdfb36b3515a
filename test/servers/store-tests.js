import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { Keyspace } from '../../lib/load/workload/keyspace.js';
import { accessOrder } from '../../lib/load/workload/access.js';
import { Payload } from '../../lib/load/workload/payload.js';
import { objectSizes } from '../../lib/load/workload/size-distribution.js';
import { assertStatus, ofKind, recordsOf } from '../helpers/outcome.js';
import { STRANGE_KEYS, STRANGER_KEYS } from '../helpers/strange-keys.js';
import { runBenchmark } from './run-benchmark.js';
import { STAGE_NAMES, assertConnectionsKept, assertWholeRun } from './whole-run.js';
import { machineRecords } from '../helpers/log-records.js';

/**
 * @import { LogRecord } from '../helpers/log-records.js'
 * @import { Outcome } from '../helpers/outcome.js'
 * @import { StoredObject, TestServer } from '../helpers/server-process.js'
 *
 * @typedef {object} LoadRun a run that succeeded and left nothing
 * @property {Outcome} run
 * @property {any[]} stages
 * @property {Record<string, { requests: number, succeeded: number }>} counts that the server added, by operation
 */

export const CLIENTS = ['direct', 'sdk'];
const OBJECTS = 300;
const THREADS = 10;
const OBJECT_SIZE = 16_384;
const BUCKETS = 3;
const RANGE_SIZE = 1000;
/** Share by which the number of objects in a bucket may differ from an even spread. */
const UNEVENNESS = 0.05;

/** Mostly the start of the program on a busy machine; retries would take longer. */
const REFUSED_WITHIN = 15_000;

/** Operations that a server counts for each stage. */
const OPERATIONS = ['putobject', 'getobject', 'headobject', 'deleteobject'];

/** Counted operations that modify objects, by the names of either server. */
const CHANGES = ['putobject', 'copyobject', 'deleteobject', 'deleteobjects', 'deletemultipleobjects'];

const COUNTED = [...OPERATIONS, 'listobjectsv2', 'copyobject', 'deleteobjects', 'deletemultipleobjects'];

/**
 * Runs a load that must succeed and leave nothing, neither objects nor uploads.
 *
 * @param {TestServer} server
 * @param {readonly string[]} parameters
 * @param {{ bucketCount?: number, counted?: readonly string[] }} [options] `counted`: operations
 * @returns {Promise<LoadRun>}
 */
export async function runLoad(server, parameters, { bucketCount = BUCKETS, counted = COUNTED } = {}) {
  const buckets = await server.createBuckets(bucketCount);
  const counts = () => Promise.all(counted.map((operation) => server.countsOf(operation)));
  const earlier = await counts();

  const run = await runBenchmark(parameters, { server, buckets });

  const later = await counts();
  assertStatus(run, 0);
  assert.deepEqual(await leftIn(server, buckets), { objects: 0, uploads: 0 });
  const added = later.map(({ requests, succeeded }, place) => ({
    requests: requests - earlier[place].requests,
    succeeded: succeeded - earlier[place].succeeded,
  }));
  return {
    run,
    stages: machineRecords(recordsOf(run.stdout), 'stage'),
    counts: Object.fromEntries(counted.map((operation, place) => [operation, added[place]])),
  };
}

/**
 * @param {string} title name of the server in test titles
 * @param {TestServer} server
 * @param {(records: readonly LogRecord[]) => void} assertConnections checks the connections that the run reports
 */
export function testWholeRuns(title, server, assertConnections) {
  for (const client of CLIENTS) {
    test(`${title}, ${client} client: a run logs four complete stages, matches the server's counts and leaves nothing behind`, async () => {
      const { run, counts } = await runLoad(server, [`${OBJECTS}`, `${THREADS}`, '--client', client]);
      const records = recordsOf(run.stdout);
      assertWholeRun(records, { objects: OBJECTS, threads: THREADS, buckets: BUCKETS, objectSize: OBJECT_SIZE });
      assertConnections(ofKind(records, 'connections'));
      assert.ok(ofKind(records, 'machine').length >= 1 + STAGE_NAMES.length);
      const counted = OPERATIONS.map((operation) => counts[operation].succeeded);
      // Before the stages, each probe is removed, and requested again if there is time. The run's marker is never read.
      const [writes, reads, stats, removals] = counted;
      assert.equal(removals, writes);
      [reads, stats].forEach((count) => assert.ok(count >= OBJECTS && count < writes, `${counted}`));
    });
  }
}

const SHARES = { write: 30, read: 40, range: 10, stat: 10, remove: 10 };
const MIX = Object.entries(SHARES).map(([name, share]) => `${name}=${share}`);

/** @type {Record<string, { parameters: readonly string[], check: (run: LoadRun) => void }>} */
const LOADS = {
  'ranges of objects are read and verified, as often as the server counts': {
    parameters: ['--stages', 'write,range,remove', '--range-size', `${RANGE_SIZE}`],
    check({ run, stages: [, range], counts }) {
      assert.deepEqual([range.stage, range.operations, range.bytes], ['Range', OBJECTS, OBJECTS * RANGE_SIZE]);
      assert.match(run.stdout, /^Range time to first byte: min .* p50 /m);
      assert.ok(counts.getobject.succeeded >= OBJECTS);
    },
  },
  'objects of several sizes are drawn at random and verified, as often as the server counts': {
    parameters: ['--size', '1KiB=2,64KiB=1', '--access', 'zipf:0.99', '--run-id', 'loads', '--no-preflight'],
    check({ stages, counts }) {
      const sizes = [
        { bytes: 1024, weight: 2 },
        { bytes: 65_536, weight: 1 },
      ];
      const sizeOf = objectSizes({ runId: 'loads', size: 65_536, sizes: { kind: 'weighted', sizes } });
      const access = { kind: /** @type {const} */ ('zipf'), exponent: 0.99 };
      const placeOf = accessOrder({ access, objects: OBJECTS, seed: 'shard 0 of loads' });
      const bytesOf = (/** @type {(index: number) => number} */ objectOf) =>
        Array.from({ length: OBJECTS }, (_, index) => sizeOf(objectOf(index))).reduce((sum, bytes) => sum + bytes);
      assert.deepEqual(
        stages.map((stage) => [stage.stage, stage.operations, stage.bytes]),
        [
          ['Write', OBJECTS, bytesOf((index) => index)],
          ['Read', OBJECTS, bytesOf(placeOf)],
          ['Stat', OBJECTS, 0],
          ['Remove', OBJECTS, 0],
        ],
      );
      assert.equal(counts.getobject.succeeded, OBJECTS);
    },
  },
  'a mixed load finds every version right': {
    parameters: ['--mix', MIX.join(','), '--cores', '2', '--no-preflight', '--range-size', '1000'],
    check({ stages }) {
      const kinds = stages.flatMap(({ kinds: ofStage = [] }) => ofStage);
      assert.deepEqual(
        Object.fromEntries(kinds.map(({ operation, operations }) => [operation, operations])),
        Object.fromEntries(Object.entries(SHARES).map(([name, share]) => [name, (OBJECTS * share) / 100])),
      );
      const [, { staleReads, foreignReads, tornReads }] = stages;
      assert.deepEqual([staleReads, foreignReads, tornReads], [0, 0, 0]);
    },
  },
  "pages list the run's keys, and batches remove them, with one request each": {
    parameters: ['--stages', 'write,list,batch-remove', '--page-size', '30', '--batch', '45', '--no-preflight'],
    check({ stages: [, list, removal], counts }) {
      const pages = Math.ceil(OBJECTS / BUCKETS / 30) * BUCKETS;
      const batches = Math.ceil(OBJECTS / BUCKETS / 45) * BUCKETS;
      assert.deepEqual([list.stage, list.operations, list.keys], ['List', pages, OBJECTS]);
      assert.deepEqual([removal.stage, removal.operations, removal.keys], ['Batch-remove', batches, OBJECTS]);
      // The run lists each bucket twice: to check whether its run id is in use, and to prove that nothing is left.
      assert.equal(counts.listobjectsv2.succeeded, pages + 2 * BUCKETS);
      assert.equal(counts.deleteobjects.succeeded + counts.deletemultipleobjects.succeeded, batches);
    },
  },
  'objects are copied, and neither objects nor copies are left': {
    parameters: ['--stages', 'write,copy'],
    check({ run, stages: [, copy], counts }) {
      assert.deepEqual([copy.stage, copy.operations], ['Copy', OBJECTS]);
      assert.match(run.stderr, new RegExp(`^Clean-up of run \\S+: ${2 * OBJECTS} objects removed .*, 0 left$`, 'm'));
      // Preflight copies a probe in each bucket.
      assert.equal(counts.copyobject.succeeded, OBJECTS + BUCKETS);
    },
  },
};

/**
 * @param {string} title name of the server in test titles
 * @param {TestServer} server
 * @param {string} client
 */
export function testLoads(title, server, client) {
  for (const [what, { parameters, check }] of Object.entries(LOADS)) {
    test(`${title}, ${client} client: ${what}`, async () => {
      check(await runLoad(server, [`${OBJECTS}`, `${THREADS}`, '--client', client, ...parameters]));
    });
  }
}

/**
 * @param {string} title name of the server in test titles
 * @param {TestServer} server
 * @param {string} client
 * @param {readonly string[]} strangeKeys
 */
export function testExisting(title, server, client, strangeKeys = [...STRANGE_KEYS, ...STRANGER_KEYS]) {
  test(`${title}, ${client} client: existing objects with any keys are read unchanged`, async () => {
    const [bucket] = await server.createBuckets(1);
    const keys = [];
    for (const key of strangeKeys) {
      // Both servers store keys as files and refuse some; each accepted key must be found.
      const isTaken = await server.put(bucket, key, `the body of ${key}`).then(
        () => true,
        () => false,
      );
      keys.push(...(isTaken ? [key] : []));
    }
    assert.ok(keys.length >= STRANGE_KEYS.length / 2, keys.join('\n'));
    const changes = () => Promise.all(CHANGES.map(async (name) => (await server.countsOf(name)).requests));
    const [before, stored] = [await changes(), (await server.list(bucket)).length];

    const stages = ['--stages', 'read,range,stat,list', '--range-size', '5', '--page-size', '7'];
    const parameters = ['1000', '4', '--existing', '*', ...stages, '--client', client];
    const run = await runBenchmark(parameters, { server, buckets: [bucket] });

    assertStatus(run, 0);
    const [read, range, stat, list] = machineRecords(recordsOf(run.stdout), 'stage');
    for (const { stage, operations, attempts, errors } of [read, range, stat]) {
      assert.deepEqual([operations, attempts, errors], [stored, stored, {}], stage);
    }
    assert.deepEqual([list.keys, list.errors], [stored, {}]);
    assert.deepEqual(await changes(), before);
  });
}

/**
 * @param {string} title name of the server in test titles
 * @param {TestServer} server
 * @param {string} client
 * @param {{ create: string, part: string, complete: string }} names server names for the requests of an upload
 */
export function testMultipart(title, server, client, { create, part, complete }) {
  const [objects, parts] = [6, 3];
  const load = [`${objects}`, '2', '--size', '12MiB', '--multipart', '--part-size', '5MiB', '--part-threads', '3'];

  test(`${title}, ${client} client: objects are written in as many parts as the server counts, and read back`, async () => {
    const parameters = [...load, '--client', client, '--no-preflight'];
    const { run, stages, counts } = await runLoad(server, parameters, { counted: [create, part, complete] });
    const [write, read, stat] = stages;
    assert.deepEqual(
      [write.operations, write.parts, write.steps, write.attempts],
      [objects, objects * parts, objects * (parts + 1), objects * (parts + 2)],
    );
    assert.deepEqual([read.operations, stat.operations], [objects, objects]);
    assert.match(run.stdout, /^Write part latency: min .* p50 /m);
    assert.deepEqual(
      Object.values(counts).map(({ succeeded }) => succeeded),
      [objects, objects * parts, objects],
    );
  });

  test(`${title}, ${client} client: --cleanup aborts the uploads of a killed run, and no others`, async () => {
    const buckets = await server.createBuckets(1);
    const runId = `killed-${client}`;
    const runs = new Keyspace({ runId, prefix: 'benchmark', buckets });
    // Uploads that a run would have had in flight.
    await Promise.all([0, 1, 2, 2].map((index) => server.createUpload(buckets[0], runs.keyOf(index))));
    await server.createUpload(buckets[0], `benchmark/${runId}/foreign`);
    await server.createUpload(buckets[0], 'another/key');

    const listed = await runBenchmark(['cleanup', 'list', '--client', client], { server, buckets });
    assertStatus(listed, 0);
    assert.match(listed.stdout, new RegExp(`^${runId} +0 +0\\.0 MiB +4 `, 'm'));

    const cleaned = await runBenchmark(['--client', client, '--cleanup', runId], {
      server,
      buckets: buckets.toReversed(),
    });

    assertStatus(cleaned, 0);
    assert.match(cleaned.stdout, /: 0 objects removed .*, 0 left, 4 uploads aborted$/m);
    assert.deepEqual(await leftIn(server, buckets), { objects: 0, uploads: 2 });
  });
}

/** Prints the peak memory of the process in KiB to stderr. */
const PRINTS_MEMORY = `--import=data:text/javascript,${encodeURIComponent(
  "process.on('exit', () => process.stderr.write(`maxRSS ${process.resourceUsage().maxRSS}\\n`))",
)}`;

/** MB that the client may use, whatever the size of its objects. */
const MAX_MEMORY = 300;

/** @param {string} title name of the server in test titles @param {TestServer} server */
export function testLargeObject(title, server) {
  test(`${title}: an object of 1 GiB is written in parts, and read back, within ${MAX_MEMORY} MB`, async () => {
    const buckets = await server.createBuckets(1);
    const load = ['1', '1', '--size', '1GiB', '--multipart', '--timeout', '10m', '--cores', '1'];
    const run = await runBenchmark(load, { server, buckets, env: { NODE_OPTIONS: PRINTS_MEMORY } });
    assertStatus(run, 0);
    const [write, read] = machineRecords(recordsOf(run.stdout), 'stage');
    assert.deepEqual([write.operations, write.parts, read.operations, read.integrityErrors], [1, 128, 1, 0]);
    const memory = Number(/^maxRSS (\d+)$/m.exec(run.stderr)?.[1]) / 1024;
    assert.ok(memory < MAX_MEMORY, `${memory} MB`);
    assert.deepEqual(await leftIn(server, buckets), { objects: 0, uploads: 0 });
  });
}

/**
 * @param {TestServer} server
 * @param {readonly string[]} buckets
 */
async function leftIn(server, buckets) {
  const objects = await Promise.all(buckets.map((bucket) => server.list(bucket)));
  const uploads = await Promise.all(buckets.map((bucket) => server.countUploads(bucket)));
  return { objects: objects.flat().length, uploads: uploads.reduce((sum, count) => sum + count) };
}

/**
 * Each thread keeps the connection opened for it before Write, and no other request uses it.
 *
 * @param {readonly LogRecord[]} records
 */
export function connectionsAreKept(records) {
  assertConnectionsKept(records, { objects: OBJECTS, threads: THREADS });
}

/**
 * One connection per request, and none is used twice. A few more were opened in advance for a request of another stage.
 *
 * @param {readonly LogRecord[]} records
 */
export function connectionsAreReplaced(records) {
  for (const { stage, opened, reused } of records) {
    assert.equal(reused, 0, `${stage} reuses no connection that the server closes`);
    assert.ok(opened >= OBJECTS && opened <= OBJECTS + THREADS, `${stage} opened ${opened} connections`);
  }
}

/**
 * @param {string} title name of the server in test titles
 * @param {TestServer} server
 * @param {string} client
 */
export function testCleanup(title, server, client) {
  test(`${title}, ${client} client: --keep leaves the run's objects evenly spread, and --cleanup removes only them`, async () => {
    const buckets = await server.createBuckets(BUCKETS);
    const runId = `kept-by-${client}`;
    const kept = await runBenchmark(
      [`${OBJECTS}`, `${THREADS}`, '--client', client, '--stages', 'write', '--keep', '--run-id', runId],
      { server, buckets },
    );
    assertStatus(kept, 0);
    const listings = await Promise.all(buckets.map((bucket) => server.list(bucket)));
    assertSpread(listings);
    assertContents(runId, buckets, listings);

    const foreign = foreignKeys(runId, buckets);
    await Promise.all(foreign.map(([bucket, key]) => server.put(bucket, key, 'not of this run')));
    const listed = await runBenchmark(['cleanup', 'list', '--client', client], { server, buckets });
    assertStatus(listed, 0);
    assert.match(listed.stdout, new RegExp(`^${runId} +${OBJECTS} +4\\.7 MiB +[0-9ms ]+ ago +[0-9ms ]+ ago$`, 'm'));
    assert.match(listed.stdout, /^Clean-up leaves alone 4 objects under .* that no run on these buckets wrote$/m);

    const cleaned = await runBenchmark(['--client', client, '--cleanup', runId], {
      server,
      buckets: buckets.toReversed(),
    });

    assertStatus(cleaned, 0);
    assert.match(`${cleaned.stdout}${cleaned.stderr}`, /\b0 left\b/);
    const left = await Promise.all(
      buckets.map(async (bucket) => (await server.list(bucket)).map(({ key }) => `${bucket} ${key}`)),
    );
    assert.deepEqual(left.flat().toSorted(), foreign.map((place) => place.join(' ')).toSorted());
  });
}

/**
 * @param {string} title name of the server in test titles
 * @param {TestServer} server its buckets can keep versions
 * @param {readonly boolean[]} [states] whether versioning is suspended
 */
export function testVersions(title, server, states = [false, true]) {
  const objects = 60;
  for (const suspended of states) {
    test(`Row 33: ${title}: a bucket whose versioning is ${suspended ? 'suspended' : 'enabled'} is refused, or no version is left`, async () => {
      const buckets = await server.createBuckets(2);
      for (const bucket of buckets) {
        await server.setVersioning(bucket, 'Enabled');
        if (suspended) {
          await server.setVersioning(bucket, 'Suspended');
        }
      }
      const left = async () =>
        (await Promise.all(buckets.map((bucket) => server.countVersions(bucket)))).reduce((sum, count) => sum + count);
      const run = [`${objects}`, `${THREADS}`, '--run-id', 'versioned'];

      const refused = await runBenchmark(run, { server, buckets });
      assertStatus(refused, 2);
      assert.match(refused.stderr, /^error: bucket "\S+" keeps versions/m);
      assert.equal(await left(), 0);

      const allowed = await runBenchmark([...run, '--allow-versioned'], { server, buckets });
      assertStatus(allowed, 0);
      assert.match(
        allowed.stderr,
        /^Clean-up of run versioned: .* older versions and delete markers removed .*, 0 left$/m,
      );
      assert.equal(await left(), 0);

      const kept = await runBenchmark([...run, '--allow-versioned', '--keep'], { server, buckets });
      assertStatus(kept, 0);
      assert.equal(await left(), objects);
      const cleaned = await runBenchmark(['cleanup', 'versioned'], { server, buckets });
      assertStatus(cleaned, 0);
      assert.match(
        cleaned.stdout,
        new RegExp(`^Clean-up of run versioned: ${objects} objects removed .*, 0 left$`, 'm'),
      );
      assert.equal(await left(), 0);
    });
  }
}

/**
 * @param {string} title name of the server in test titles
 * @param {TestServer} server
 * @param {string} client
 */
export function testRefusals(title, server, client) {
  test(`${title}, ${client} client: a wrong secret key ends the run at once, before anything is written`, async () => {
    const buckets = await server.createBuckets(BUCKETS);
    const run = await runRefused(client, server, { buckets, secretKey: 'not-the-secret' });
    assert.ok(run.milliseconds < REFUSED_WITHIN, `it took ${run.milliseconds} ms`);
  });
}

/**
 * @param {string} title name of the server in test titles
 * @param {TestServer} server its region is `auto`
 * @param {string} client
 */
export function testRegion(title, server, client) {
  test(`${title}, ${client} client: a wrong region ends the run, and the message names its setting`, async () => {
    const buckets = await server.createBuckets(1);
    const parameters = ['20', '4', '--client', client, '--endpoint-url', server.origin];
    const run = await runBenchmark(parameters, { server, buckets, env: { S3_REGION: 'eu-nowhere-1' } });

    assertStatus(run, 2);
    assert.match(run.stderr, /check S3_REGION/);
    assert.deepEqual(await server.list(buckets[0]), []);
  });
}

/**
 * A run that must be refused: exit status 2, one clear line, no stage begun, nothing written.
 *
 * @param {string} client
 * @param {TestServer} server
 * @param {{ buckets: string[], accessKey?: string, secretKey?: string, trusting?: boolean }} target
 */
export async function runRefused(client, server, target) {
  const earlier = await server.countsOf('putobject');

  const run = await runBenchmark([`${OBJECTS}`, `${THREADS}`, '--client', client], { server, ...target });

  assertStatus(run, 2);
  assert.match(run.stderr, /\S/);
  assert.doesNotMatch(run.stderr, /^ {4}at /m, 'no stack trace');
  assert.doesNotMatch(run.stdout, /scheduling/);
  const later = await server.countsOf('putobject');
  assert.ok(later.succeeded === earlier.succeeded, 'no write was attempted');
  return run;
}

/** @param {readonly StoredObject[][]} listings one per bucket */
function assertSpread(listings) {
  for (const { length } of listings) {
    const even = OBJECTS / BUCKETS;
    assert.ok(Math.abs(length - even) <= even * UNEVENNESS, `${length} objects in a bucket, expected about ${even}`);
  }
}

/**
 * @param {string} runId
 * @param {readonly string[]} buckets
 * @param {readonly StoredObject[][]} listings one per bucket
 */
function assertContents(runId, buckets, listings) {
  const keyspace = new Keyspace({ runId, prefix: 'benchmark', buckets });
  const payload = new Payload(runId);
  const indices = listings.flatMap((objects, position) =>
    objects.map(({ key, size, etag }) => {
      const index = keyspace.indexOf(buckets[position], key);
      const expected = createHash('md5').update(payload.view(index, 0, OBJECT_SIZE));
      assert.deepEqual({ key, size, etag }, { key, size: OBJECT_SIZE, etag: expected.digest('hex') });
      return index;
    }),
  );
  assert.deepEqual(
    indices.toSorted((one, other) => one - other),
    Array.from({ length: OBJECTS }, (_, index) => index),
  );
}

/**
 * Foreign objects that a clean-up by prefix, pattern or key alone would mistake for the run's.
 *
 * @param {string} runId
 * @param {readonly string[]} buckets
 * @returns {[bucket: string, key: string][]}
 */
function foreignKeys(runId, buckets) {
  const keyspace = new Keyspace({ runId, prefix: 'benchmark', buckets });
  const otherSpread = keyspace.keyOf(1).replace(/-1$/, '-0');
  return [
    [buckets[0], otherSpread],
    [buckets[0], `benchmark/${runId}/notes.txt`],
    [buckets[1], `benchmark/${runId}-2/00000000-0`],
    [buckets[1], 'benchmark/other/00000000-0'],
    [buckets[2], 'notes.txt'],
  ];
}
