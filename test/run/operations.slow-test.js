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
