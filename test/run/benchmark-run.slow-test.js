import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Clock } from '../../lib/clock/clock.js';
import { runBenchmark } from '../../lib/run/benchmark-run.js';
import { newResult } from '../../lib/cleanup/cleanup.js';
import { keysIn } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { runConfig } from '../helpers/run-config.js';

/**
 * @import { SecondCount } from '../../lib/model/result.js'
 * @import { Overrides } from '../helpers/run-config.js'
 * @import { Worker } from 'node:worker_threads'
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

for (const client of /** @type {const} */ (['direct', 'sdk'])) {
  test(`a run of the ${client} client goes through its stages and leaves nothing behind`, TIME_LIMIT, async (t) => {
    const endpoint = await startTestEndpoint(t);
    const { result, of } = await run(endpoint, { client });
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
    const seen = requests.PUT.total + requests.GET.total + requests.HEAD.total + requests.DELETE.total;
    assert.equal(seen, 4 * 20 + result.requests.preflight + result.requests.probe);
    assert.equal(requests.LIST.total, 0, 'a run that knows it removed everything does not list');
  });
}

test('all connections are opened before the first stage', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t);
  /** @type {number[]} */
  const opened = [];
  const { result } = await run(endpoint, { threads: 6 });
  result.stages.forEach(({ connections }) => opened.push(connections.opened));
  assert.deepEqual(opened, [6, 0, 0, 0]);
});

test('only the requested stages run, and what Write left is cleaned up', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t);
  const { result } = await run(endpoint, { stages: ['write', 'stat'] });
  assert.deepEqual(
    result.stages.map(({ stage }) => stage),
    ['Write', 'Stat'],
  );
  assert.deepEqual(result.cleanup, { ...newResult(), removed: 20, left: 0 });
  assert.deepEqual(await keysIn(endpoint), []);
});

test('kept objects are found, checked and removed by a later run', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t);
  const first = await run(endpoint, { stages: ['write'], keep: true });
  assert.equal(first.result.cleanup, null);
  assert.equal((await keysIn(endpoint)).length, 20);
  const later = await run(endpoint, { stages: ['read', 'stat', 'remove'] });
  assert.deepEqual(
    later.result.stages.map(({ operations, failed, integrityErrors }) => [operations, failed, integrityErrors]),
    [
      [20, 0, 0],
      [20, 0, 0],
      [20, 0, 0],
    ],
  );
  assert.deepEqual(await keysIn(endpoint), []);
});

test('wrong credentials end the run before it writes', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t);
  const credentials = { ...endpoint.credentials, secretAccessKey: 'not-the-secret' };
  const { result, of } = await run({ ...endpoint, credentials });
  assert.equal(result.problems.length, 1);
  assert.match(result.problems[0], /S3_SECRET_KEY/);
  assert.ok(!result.problems[0].includes('not-the-secret'));
  assert.deepEqual([result.stages, result.cleanup, of('runStarts')], [[], null, []]);
  assert.equal((await endpoint.report()).requests.PUT.total, 0);
});

test('a stop request ends the stage, and written objects are removed', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t, { faults: 'latency=5ms' });
  const controller = new AbortController();
  const { result } = await run(
    endpoint,
    { objects: 100_000 },
    {
      controller,
      onEvent: (told, [plan]) => {
        if (told === 'stageStarts' && plan.stage === 'Write') {
          setTimeout(() => controller.abort(), 100);
        }
      },
    },
  );
  assert.deepEqual(
    result.stages.map(({ stage, end }) => [stage, end]),
    [['Write', 'stopped']],
  );
  assert.equal(result.cleanup?.left, 0);
  assert.equal(result.cleanup?.removed, result.stages[0].operations);
  assert.deepEqual(await keysIn(endpoint), []);
});

test(
  'a fatal error in a stage is explained, no further stage runs, and clean-up is attempted',
  TIME_LIMIT,
  async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'seed=1,PUT.status=403:10%' });
    const { result } = await run(endpoint, { objects: 1000, preflight: false });
    assert.deepEqual(
      result.stages.map(({ stage, end }) => [stage, end]),
      [['Write', 'fatal']],
    );
    assert.match(result.problems.join(), /write in bucket .* was refused/);
    assert.equal(result.cleanup?.left, 0);
    assert.deepEqual(await keysIn(endpoint), []);
  },
);

test('corrupted bytes and a wrong ETag are reported and never count as successes', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t, { faults: 'corrupt=100%,wrong-etag=100%' });
  const { result, of } = await run(endpoint);
  assert.deepEqual(
    result.stages.map(({ operations, integrityErrors }) => [operations, integrityErrors]),
    [
      [20, 0],
      [0, 20],
      [0, 20],
      [20, 0],
    ],
  );
  assert.equal(of('integrityError').length, 40);
  assert.deepEqual(await keysIn(endpoint), []);
});

test('writes that succeeded without an answer are cleaned up', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t, { faults: 'lost=100%' });
  const { result } = await run(endpoint, { objects: 3, retries: 0, stages: ['write', 'remove'], preflight: false });
  const [write, remove] = result.stages;
  assert.deepEqual([write.operations, write.failed, write.unknownOutcomes, remove.skipped], [0, 3, 3, 3]);
  assert.deepEqual([result.cleanup?.removed, result.cleanup?.left], [3, 0]);
  assert.deepEqual(await keysIn(endpoint), []);
});

test('foreign objects are not touched', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t);
  const theirs = ['benchmark/run-2/0badcafe-0', 'benchmark/run-1/not-ours', 'precious'];
  for (const key of theirs) {
    await endpoint.put('bucket-a', key, Buffer.from('theirs'));
  }
  const { result } = await run(endpoint, { stages: ['write'] });
  assert.deepEqual([result.cleanup?.left, result.cleanup?.foreign], [0, 1]);
  assert.deepEqual(await endpoint.list('bucket-a'), [...theirs].sort());
});

test('a shard cleans up its own objects and leaves those of other shards', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t);
  await run(endpoint, { shard: { index: 0, count: 2 }, stages: ['write'], keep: true });
  const theirs = await keysIn(endpoint);
  assert.equal(theirs.length, 20);
  const { result } = await run(endpoint, { shard: { index: 1, count: 2 }, stages: ['write'] });
  assert.deepEqual([result.stages[0].operations, result.cleanup?.removed, result.cleanup?.left], [20, 20, 0]);
  assert.deepEqual(await keysIn(endpoint), theirs);
});

test('a run with several workers reports and leaves the same as a run with one', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t);
  const { result, of } = await run(endpoint, { cores: 3, threads: 4, objects: 50 });
  assert.deepEqual([result.problems, result.crash, result.cleanup], [[], null, null]);
  assert.deepEqual(
    result.stages.map(({ stage, end, operations }) => [stage, end, operations]),
    ['Write', 'Read', 'Stat', 'Remove'].map((stage) => [stage, 'complete', 50]),
  );
  for (const { stage, seconds } of result.stages) {
    assert.deepEqual(
      of('second')
        .filter(([second]) => second.stage === stage)
        .map(([second]) => countOf(second)),
      seconds.map(countOf),
    );
  }
  assert.deepEqual(await keysIn(endpoint), []);
});

test('if worker threads die, their operations in flight are cleaned up', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t, { faults: 'PUT.latency=1200ms' });
  /** @type {Worker[]} */
  const threads = [];
  const keep = (/** @type {Worker} */ thread) => threads.push(thread);
  process.on('worker', keep);
  t.after(() => process.removeListener('worker', keep));
  const dying = { cores: 2, objects: 1000, stages: ['write'] };
  const { result } = await run(endpoint, dying, {
    onEvent: (told) => told === 'progress' && threads.forEach((thread) => void thread.terminate()),
  });
  assert.match(String(result.crash), /the thread of worker \d ended unexpectedly/);
  assert.deepEqual([result.cleanup?.removed, result.cleanup?.left], [4, 0]);
  assert.deepEqual(await keysIn(endpoint), []);
});

test('an unanswered write of the preflight is looked for twice', TIME_LIMIT, async (t) => {
  const endpoint = await startTestEndpoint(t, { buckets: ['bucket-a'], faults: 'PUT.lost=100%' });
  const { result } = await run(endpoint, { stages: ['write'] });
  assert.match(result.problems.join(), /^write in bucket "bucket-a" /);
  assert.deepEqual([result.stages, result.cleanup?.removed, result.cleanup?.left], [[], 1, 0]);
  const { requests } = await endpoint.report();
  assert.equal(requests.LIST.total, 3, 'removed, proven absent, and checked once more');
});
