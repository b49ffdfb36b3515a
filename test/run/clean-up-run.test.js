import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Clock } from '../../lib/meter/clock.js';
import { cleanUpRun } from '../../lib/run/clean-up-run.js';
import { Keyspace } from '../../lib/workload/keyspace.js';
import { keysIn } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { openTestStore } from '../helpers/store.js';

/** @typedef {import('../helpers/local-s3.js').TestEndpoint} TestEndpoint */

const BUCKETS = ['bucket-a', 'bucket-b'];
const KEYSPACE = new Keyspace({ runId: 'run-1', prefix: 'benchmark', buckets: BUCKETS });
const TIME_LIMIT = { timeout: 30_000 };

/**
 * @param {import('node:test').TestContext} t
 * @param {TestEndpoint} endpoint
 * @param {{ owns?: (own: import('../../lib/workload/keyspace.js').OwnKey) => boolean, outcomeUnknown?: boolean }} [choice]
 */
async function cleanUpEndpoint(t, endpoint, { owns = () => true, outcomeUnknown = false } = {}) {
  const { options: storeOptions } = await openTestStore(t, 'direct', endpoint, { threads: 8 });
  const requests = { preflight: 0, clock: 0, probe: 0, cleanup: 0 };
  const result = await cleanUpRun({
    keyspace: KEYSPACE,
    storeOptions,
    clock: new Clock(),
    random: () => 0,
    timeout: 10_000,
    owns,
    outcomeUnknown,
    requests,
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

test('a run’s objects are removed from a store, those of others stay', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t);
  await plant(endpoint, [0, 1, 2, 3, 500, 2 ** 32]);
  const foreign = ['benchmark/run-2/0badcafe-7', `${KEYSPACE.keyPrefix}preflight`, `${KEYSPACE.keyPrefix}1`, 'x & <y>'];
  for (const key of foreign) {
    await endpoint.put('bucket-a', key, Buffer.from('theirs'));
  }
  const result = await cleanUpEndpoint(t, endpoint);
  assert.deepEqual(result, { removed: 6, left: 0, foreign: 2, problems: [] });
  assert.deepEqual(await keysIn(endpoint), [...foreign].sort());
});

test('more than a thousand objects in one range of keys are removed', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t);
  const inOneRange = [];
  for (let index = 0; inOneRange.length < 2200; index++) {
    if (KEYSPACE.keyOf(index).startsWith(`${KEYSPACE.keyPrefix}7`)) {
      inOneRange.push(index);
    }
  }
  await plant(endpoint, inOneRange);
  const result = await cleanUpEndpoint(t, endpoint);
  assert.deepEqual(result, { removed: 2200, left: 0, foreign: 0, problems: [] });
  assert.deepEqual(await keysIn(endpoint), []);
});

test('a store that answers badly for a while is asked again', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t, { faults: 'seed=3,LIST.status=503:20%,POST.status=500:20%' });
  await plant(endpoint, [0, 1, 2, 3, 4, 5, 6, 7]);
  const result = await cleanUpEndpoint(t, endpoint);
  assert.deepEqual([result.left, result.problems], [0, []]);
  assert.ok((await endpoint.report()).faults.status > 0);
});

test('a store that refuses is not asked for ever', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t, { faults: 'POST.status=403:100%' });
  await plant(endpoint, [0, 1]);
  const result = await cleanUpEndpoint(t, endpoint);
  assert.equal(result.left, -1);
  assert.match(result.problems.join(), /AccessDenied/);
  assert.equal((await keysIn(endpoint)).length, 2);
});
