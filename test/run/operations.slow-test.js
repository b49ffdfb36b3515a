import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_AMOUNTS } from '../../lib/operations/amounts.js';
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

for (const client of /** @type {const} */ (['direct', 'sdk'])) {
  test(`the ${client} client reads as many ranges as the endpoint counts`, TIME_LIMIT, async (t) => {
    const endpoint = await startTestEndpoint(t);
    const amounts = { ...DEFAULT_AMOUNTS, rangeSize: 300 };
    const { result, told } = await run(endpoint, { client, amounts, stages: ['write', 'range', 'remove'] });
    const [, range] = result.stages;
    assert.deepEqual(
      [range.stage, range.end, range.operations, range.bytes, range.attempts],
      ['Range', 'complete', OBJECTS, 300 * OBJECTS, OBJECTS],
    );
    assert.equal(range.latency.firstByte?.count, OBJECTS);
    assert.deepEqual(told, []);
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test(`the ${client} client lists the run's keys page by page`, TIME_LIMIT, async (t) => {
    const endpoint = await startTestEndpoint(t);
    const amounts = { ...DEFAULT_AMOUNTS, pageSize: 7 };
    // Preflight would list as well.
    const stages = ['write', 'list', 'remove'];
    const { result, told } = await run(endpoint, { client, amounts, stages, preflight: false });
    const [, list] = result.stages;
    // Two buckets have 51 and 50 objects.
    assert.deepEqual([list.stage, list.end, list.operations, list.keys], ['List', 'complete', 8 + 8, OBJECTS]);
    assert.ok(Math.abs(Number(list.averageKeys) - (list.average * OBJECTS) / 16) < 1e-6);
    assert.deepEqual(told, []);
    assert.equal((await endpoint.report()).requests.LIST.total, 16);
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test(`the ${client} client removes objects in batches of one bucket each`, TIME_LIMIT, async (t) => {
    const endpoint = await startTestEndpoint(t);
    const amounts = { ...DEFAULT_AMOUNTS, batch: 20 };
    const { result, told } = await run(endpoint, { client, amounts, stages: ['write', 'batch-remove'], cores: 2 });
    const [, removal] = result.stages;
    assert.deepEqual(
      [removal.stage, removal.end, removal.operations, removal.keys, removal.bytes],
      ['Batch-remove', 'complete', 3 + 3, OBJECTS, 0],
    );
    assert.equal(result.cleanup, null, 'nothing is left to clean up');
    assert.deepEqual(told, []);
    const { requests } = await endpoint.report();
    assert.equal(requests.POST.total, 6 + endpoint.buckets.length);
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test(`the ${client} client copies each object once, and clean-up removes the copies`, TIME_LIMIT, async (t) => {
    const endpoint = await startTestEndpoint(t);
    const { result, told } = await run(endpoint, { client, stages: ['write', 'copy', 'remove'] });
    const [, copy] = result.stages;
    assert.deepEqual([copy.stage, copy.end, copy.operations], ['Copy', 'complete', OBJECTS]);
    assert.deepEqual([result.cleanup?.removed, result.cleanup?.left, result.cleanup?.foreign], [OBJECTS, 0, 0]);
    assert.deepEqual(told, []);
    assert.deepEqual(await keysIn(endpoint), []);
  });
}

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
