import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keysIn } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { runObserved } from '../helpers/observed-run.js';

/**
 * @import { Overrides } from '../helpers/run-config.js'
 * @import { TestEndpoint } from '../helpers/local-s3.js'
 */

const TIME_LIMIT = { timeout: 120_000 };
const MIB = 1024 ** 2;
const OBJECTS = 5;

/** 5, 5 and 2 MiB. */
const PARTS = 3;

/** @type {Overrides} */
const IN_PARTS = {
  ...{ objects: OBJECTS, threads: 2, size: 12 * MIB },
  multipart: { partSize: 5 * MIB, partThreads: 2, minSize: 0 },
};

/**
 * @param {TestEndpoint} endpoint
 * @param {Overrides} [overrides]
 * @param {[controller?: AbortController, onEvent?: (name: string, parameter: any) => void]} others
 */
function run(endpoint, overrides, ...others) {
  return runObserved(endpoint, { ...IN_PARTS, ...overrides }, ...others);
}

/** @param {TestEndpoint} endpoint */
async function assertNothingLeft(endpoint) {
  const { uploads, objects } = await endpoint.report();
  assert.deepEqual(
    [Object.values(uploads), Object.values(objects)],
    [
      [0, 0],
      [0, 0],
    ],
  );
  assert.deepEqual(await keysIn(endpoint), []);
}

/**
 * @param {TestEndpoint} endpoint
 * @returns {Promise<Record<'CREATE' | 'PART' | 'COMPLETE' | 'ABORT', number>>} requests
 */
async function uploadRequests(endpoint) {
  const { requests } = await endpoint.report();
  const { CREATE, PART, COMPLETE, ABORT } = requests;
  return { CREATE: CREATE.total, PART: PART.total, COMPLETE: COMPLETE.total, ABORT: ABORT.total };
}

test('the client survives a store that fails every step of an upload', TIME_LIMIT, async (t) => {
  const faults =
    'seed=5, CREATE.status=503:20%, CREATE.lost=10%, PART.status=500:10%, PART.reset=10%, COMPLETE.lost=40%';
  const endpoint = await startTestEndpoint(t, { faults });
  const { result, told } = await run(endpoint, { preflight: false, objects: 8, cores: 1 });
  assert.deepEqual(told, []);
  const [write] = result.stages;
  assert.deepEqual([write.end, write.operations, write.parts], ['complete', 8, 8 * PARTS]);
  const { requests, faults: injected } = await endpoint.report();
  assert.ok(injected.lost > 0 && injected.status > 0 && injected.reset > 0, JSON.stringify(injected));
  const { CREATE, PART, COMPLETE, ABORT } = await uploadRequests(endpoint);
  const heads = requests.HEAD.total - result.stages[2].attempts;
  assert.equal(write.attempts, CREATE + PART + COMPLETE + ABORT - Number(result.cleanup?.uploads) + heads);
  assert.equal(write.failedAttempts, write.attempts - write.operations - write.steps);
  await assertNothingLeft(endpoint);
});

test(
  'preflight tries an upload if the stage makes them, and the latency with one thread is that of one part',
  TIME_LIMIT,
  async (t) => {
    const endpoint = await startTestEndpoint(t);
    const { result } = await run(endpoint, { objects: 2 });
    const { CREATE, COMPLETE } = await uploadRequests(endpoint);
    assert.equal(CREATE, COMPLETE);
    assert.ok(CREATE >= 2 + endpoint.buckets.length, `${CREATE} uploads`);
    assert.equal((await endpoint.report()).requests.PUT.total, 0);
    const { unloaded } = result.stages[0];
    assert.ok(!unloaded || unloaded.size <= 5 * MIB);
    await assertNothingLeft(endpoint);
  },
);

test('a run stopped between parts aborts its uploads', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t, { faults: 'PART.latency=300ms' });
  const controller = new AbortController();
  const { result } = await run(endpoint, { size: 50 * MIB, preflight: false }, controller, (name) => {
    if (name === 'stageStarts') {
      void partsArrive(endpoint).then(() => controller.abort());
    }
  });
  const [write] = result.stages;
  assert.equal(write.end, 'stopped');
  assert.ok(write.abandoned > 0);
  const { CREATE, ABORT, COMPLETE } = await uploadRequests(endpoint);
  assert.equal(CREATE, ABORT + COMPLETE);
  assert.ok(write.aborts > 0, 'the thread itself aborts its uploads');
  await assertNothingLeft(endpoint);
});
/** @param {TestEndpoint} endpoint */
async function partsArrive(endpoint) {
  while ((await endpoint.report()).requests.PART.total < 3) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
