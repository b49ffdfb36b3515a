import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Clock } from '../../lib/measure/clock/clock.js';
import { runBenchmark } from '../../lib/run/benchmark-run.js';
import { keysIn } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { runConfig } from '../helpers/run-config.js';

/**
 * @import { SecondCount } from '../../lib/result/result.js'
 * @import { Overrides } from '../helpers/run-config.js'
 * @import { TestEndpoint } from '../helpers/local-s3.js'
 */

const IDENTITY = { host: 'fra-1', versions: { node: 'v20' } };
const TIME_LIMIT = { timeout: 120_000 };

/**
 * An observer that records each call under the name of its method.
 *
 * @param {(told: string, parameters: any[]) => void} [onEvent]
 */
function recorder(onEvent = () => {}) {
  /** @type {{ told: string, parameters: any[] }[]} */
  const events = [];
  const observer = new Proxy(/** @type {any} */ ({}), {
    get:
      (_target, told) =>
      (/** @type {any[]} */ ...parameters) => {
        events.push({ told: String(told), parameters });
        onEvent(String(told), parameters);
      },
  });
  /** @param {string} told */
  const of = (told) => events.filter((event) => event.told === told).map(({ parameters }) => parameters);
  return { observer, of };
}

/**
 * @param {TestEndpoint} endpoint
 * @param {Overrides} [overrides]
 * @param {object} [choice]
 * @param {AbortController} [choice.controller]
 * @param {(told: string, parameters: any[]) => void} [choice.onEvent]
 */
async function run(endpoint, overrides, { controller = new AbortController(), onEvent } = {}) {
  const { observer, of } = recorder(onEvent);
  const config = runConfig(endpoint, overrides);
  const context = { clock: new Clock(), random: Math.random, signal: controller.signal, identity: IDENTITY, observer };
  return { result: await runBenchmark(config, { ...context, launchedAt: context.clock.now() }), of };
}

/** @param {SecondCount} second */
function countOf({ secondStart, operations, bytes }) {
  return { secondStart, operations, bytes };
}

test('a run of the client goes through its stages and leaves nothing behind', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t);
  const { result, of } = await run(endpoint, {});
  assert.deepEqual([result.problems, result.crash, result.cleanup], [[], null, null]);
  assert.deepEqual(
    result.stages.map(({ stage, end, operations, bytes }) => [stage, end, operations, bytes]),
    [20_000, 20_000, 0, 0].map((bytes, place) => [['Write', 'Read', 'Stat', 'Remove'][place], 'complete', 20, bytes]),
  );
  assert.deepEqual(
    of('stageStarts').map(([{ stage, objects, threads, buckets }]) => [stage, objects, threads, buckets]),
    ['Write', 'Read', 'Stat', 'Remove'].map((stage) => [stage, 20, 4, 2]),
  );
  assert.deepEqual(
    of('stage').map(([stage]) => stage),
    result.stages,
  );
  assert.deepEqual([of('runStarts').length, of('failed').length, of('integrityError').length], [1, 0, 0]);
  for (const { stage, seconds } of result.stages) {
    const told = of('second').filter(([second]) => second.stage === stage);
    assert.deepEqual(
      told.map(([second]) => countOf(second)),
      seconds.map(countOf),
    );
  }
  assert.deepEqual(await keysIn(endpoint), []);
  const { requests } = await endpoint.report();
  const { PUT, GET, HEAD, DELETE, POST } = requests;
  const seen = [PUT, GET, HEAD, DELETE, POST].reduce((sum, { total }) => sum + total, 0);
  assert.equal(seen, 4 * 20 + result.requests.preflight + result.requests.probe);
  assert.equal(requests.LIST.total, 0, 'a run that knows it removed everything does not list');
});

test('a run that did not write the objects leaves them', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t);
  await run(endpoint, { stages: ['write'], keep: true });
  const { result } = await run(endpoint, { stages: ['read', 'stat'] });
  assert.deepEqual(
    result.stages.map(({ stage, operations }) => [stage, operations]),
    [
      ['Read', 20],
      ['Stat', 20],
    ],
  );
  assert.equal((await keysIn(endpoint)).length, 20);
});

test('an unanswered write of the preflight is looked for twice', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t, { buckets: ['bucket-a'], faults: 'PUT.lost=100%' });
  const { result } = await run(endpoint, { stages: ['write'] });
  assert.match(result.problems.join(), /^write in bucket "bucket-a" /);
  assert.deepEqual([result.stages, result.cleanup?.removed, result.cleanup?.left], [[], 1, 0]);
  const { requests } = await endpoint.report();
  assert.equal(requests.LIST.total, 3, 'removed, proven absent, and checked once more');
});
