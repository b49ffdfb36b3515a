import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Clock } from '../../lib/clock/clock.js';
import { cleanUpRun } from '../../lib/cleanup/clean-up-run.js';
import { newResult } from '../../lib/cleanup/cleanup.js';
import { Keyspace } from '../../lib/workload/keyspace.js';
import { keysIn } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { ManualClock } from '../helpers/manual-clock.js';
import { startSocketServer } from '../helpers/socket-server.js';
import { openTestStore } from '../helpers/store.js';

/**
 * @import { OwnKey } from '../../lib/workload/keyspace.js'
 * @import { TestEndpoint } from '../helpers/local-s3.js'
 * @import { TestContext } from 'node:test'
 */

const BUCKETS = ['bucket-a', 'bucket-b'];
const KEYSPACE = new Keyspace({ runId: 'run-1', prefix: 'benchmark', buckets: BUCKETS });
const TIME_LIMIT = { timeout: 120_000 };

/**
 * @param {TestContext} t
 * @param {TestEndpoint} endpoint
 * @param {{ owns?: (own: OwnKey) => boolean, outcomeUnknown?: boolean }} [choice]
 */
async function cleanUpEndpoint(t, endpoint, { owns = () => true, outcomeUnknown = false } = {}) {
  const { options: storeOptions } = await openTestStore(t, 'sdk', endpoint, { threads: 8 });
  const requests = { preflight: 0, clock: 0, probe: 0, cleanup: 0 };
  const result = await cleanUpRun({
    keyspace: KEYSPACE,
    storeOptions,
    clock: new Clock(),
    random: () => 0,
    timeout: 10_000,
    owns,
    reconciliation: null,
    versioned: new Set(),
    outcomeUnknown,
    requests,
    onProgress() {},
  });
  const { requests: seen } = await endpoint.report();
  assert.equal(requests.cleanup, seen.LIST.total + seen.POST.total, 'every request is counted');
  return result;
}

/**
 * @param {TestEndpoint} endpoint
 * @param {readonly number[]} indices
 */
async function plant(endpoint, indices) {
  const body = Buffer.from('x');
  await Promise.all(indices.map((index) => endpoint.put(KEYSPACE.bucketOf(index), KEYSPACE.keyOf(index), body)));
}

test('removes the objects of a run from a store, and no others', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t);
  await plant(endpoint, [0, 1, 2, 3, 500, 2 ** 32]);
  const foreign = ['benchmark/run-2/0badcafe-7', `${KEYSPACE.keyPrefix}preflight`, `${KEYSPACE.keyPrefix}1`, 'x & <y>'];
  for (const key of foreign) {
    await endpoint.put('bucket-a', key, Buffer.from('theirs'));
  }
  const result = await cleanUpEndpoint(t, endpoint);
  assert.deepEqual(result, { ...newResult(), removed: 6, left: 0, foreign: 2 });
  assert.deepEqual(await keysIn(endpoint), [...foreign].sort());
});

test('removes more than a thousand objects in one key range', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t);
  const inOneRange = [];
  for (let index = 0; inOneRange.length < 2200; index++) {
    if (KEYSPACE.keyOf(index).startsWith(`${KEYSPACE.keyPrefix}7`)) {
      inOneRange.push(index);
    }
  }
  await plant(endpoint, inOneRange);
  const result = await cleanUpEndpoint(t, endpoint);
  assert.deepEqual(result, { ...newResult(), removed: 2200, left: 0 });
  assert.deepEqual(await keysIn(endpoint), []);
});

test('retries requests to a store that fails for a while', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t, { faults: 'seed=3,LIST.status=503:20%,POST.status=500:20%' });
  await plant(endpoint, [0, 1, 2, 3, 4, 5, 6, 7]);
  const result = await cleanUpEndpoint(t, endpoint);
  assert.deepEqual([result.left, result.problems], [0, []]);
  assert.ok((await endpoint.report()).faults.status > 0);
});

test('does not retry forever if the store refuses', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t, { faults: 'POST.status=403:100%' });
  await plant(endpoint, [0, 1]);
  const result = await cleanUpEndpoint(t, endpoint);
  assert.equal(result.left, -1);
  assert.match(result.problems.join(), /AccessDenied/);
  assert.equal((await keysIn(endpoint)).length, 2);
});

test('Row 40: gives up after a minute if the store stops responding, whatever the timeout', TIME_LIMIT, async (t) => {
  const clock = new ManualClock(Date.now());
  const { port } = await startSocketServer(t, {
    // A minute passes at the first request; none is ever answered.
    onSocket: (socket) => socket.once('data', () => clock.advance(60_000)),
  });
  const credentials = { accessKeyId: 'test-access-key', secretAccessKey: 'test-secret-key' };
  const target = { hostname: '127.0.0.1', port, region: 'auto', credentials, tls: null };
  const { options: storeOptions } = await openTestStore(t, 'sdk', target, { threads: 8 });
  /** @type {number[]} */
  const silences = [];
  const result = await cleanUpRun({
    keyspace: KEYSPACE,
    storeOptions,
    clock,
    random: () => 0,
    timeout: 3_600_000,
    owns: () => true,
    reconciliation: null,
    versioned: new Set(),
    outcomeUnknown: true,
    requests: { preflight: 0, clock: 0, probe: 0, cleanup: 0 },
    onProgress: ({ silence }) => silences.push(silence),
  });
  assert.deepEqual(result, {
    ...newResult(),
    problems: ['no request has succeeded for 60s: check that the store is still reachable'],
  });
  assert.ok(silences.some((silence) => silence >= 60_000));
});
