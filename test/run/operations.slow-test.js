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
const OBJECTS = 101;

/**
 * @param {TestEndpoint} endpoint
 * @param {Overrides} overrides
 * @param {[controller?: AbortController, onEvent?: (name: string, parameter: any) => void]} others
 */
function run(endpoint, overrides, ...others) {
  return runObserved(endpoint, { objects: OBJECTS, ...overrides }, ...others);
}

test("a mix on two cores has exact shares, and matches the store's counts", TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t);
  const shares = { read: 50, range: 10, write: 20, stat: 10, copy: 5, remove: 5 };
  const mix = Object.entries(shares).map(([operation, share]) => ({ operation, share }));
  const load = { stages: ['write', 'remove'], mix, objects: 200, threads: 16, cores: 2, preflight: false };
  const { result } = await run(endpoint, load);
  const [write, { kinds = [], ...mixed }, remove] = result.stages;
  assert.deepEqual([mixed.staleReads, mixed.foreignReads, mixed.tornReads], [0, 0, 0]);
  assert.deepEqual(
    kinds.map(({ operation, operations, attempts }) => [operation, operations, attempts]),
    Object.entries(shares).map(([operation, share]) => [operation, 2 * share, 2 * share]),
  );
  const { requests, objects } = await endpoint.report();
  // Clean-up reads each copy.
  const [PUT, GET] = [write.attempts + 2 * (20 + 5), 2 * (50 + 10 + 5)];
  const [HEAD, DELETE] = [2 * 10, 2 * 5 + remove.attempts];
  const counted = [requests.PUT, requests.GET, requests.HEAD, requests.DELETE].map(({ total }) => total);
  assert.deepEqual(counted, [PUT, GET, HEAD, DELETE]);
  assert.deepEqual(Object.values(objects), [0, 0]);
});

test('no object is copied twice in a stage with a duration', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t);
  const { result } = await run(endpoint, { stages: ['write', 'copy', 'remove'], objects: 8, duration: 1000 });
  assert.deepEqual([result.stages[1].stage, result.stages[1].operations], ['Copy', 8]);
});

test('with --keep, copies stay, but those of probes do not', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t);
  const { result } = await run(endpoint, { stages: ['write', 'copy'], keep: true });
  assert.equal(result.cleanup, null);
  const keys = await keysIn(endpoint);
  assert.equal(keys.length, 2 * OBJECTS);
  assert.equal(keys.filter((key) => /\/[0-9a-f]{8}-copy-\d+$/.test(key)).length, OBJECTS);
});

test('a run stopped while copying leaves no copies', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t, { faults: 'latency=30ms' });
  const controller = new AbortController();
  let stage = '';
  const { result } = await run(
    endpoint,
    { stages: ['write', 'copy', 'remove'], objects: 300 },
    controller,
    (name, told) => {
      if (name === 'stageStarts') {
        stage = told.stage;
      } else if (name === 'progress' && stage === 'Copy' && told > 0) {
        controller.abort();
      }
    },
  );
  assert.equal(result.stages[1].end, 'stopped');
  assert.ok(result.stages[1].operations > 0);
  assert.equal(result.cleanup?.left, 0);
  assert.deepEqual(await keysIn(endpoint), []);
});
