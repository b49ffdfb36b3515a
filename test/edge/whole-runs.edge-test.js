import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCommand, startCommand } from '../helpers/command.js';
import { assertStatus } from '../helpers/outcome.js';
import { startEdge } from './edge-worker.js';

/**
 * @import { TestContext } from 'node:test'
 * @import { TestEdge } from './edge-worker.js'
 */

/** Maximum growth of peak memory with three times as many objects of 8 MiB, which are 288 MiB. */
const MAX_MEMORY_GROWTH = 100 * 2 ** 20;

/** A Worker's clock advances in whole ms. */
const CLOCK_RESOLUTION_MS = 1;

const SMALL = ['--size', '1KiB', '--client', 'edge'];

/**
 * @param {TestContext} t
 * @param {Pick<TestEdge, 'dotEnv'>} edge
 * @param {readonly string[]} parameters
 */
async function resultOf(t, { dotEnv }, parameters) {
  const run = await runCommand(t, [...parameters, '--json', '-'], { dotEnv });
  return { run, result: run.stdout === '' ? null : JSON.parse(run.stdout) };
}

/** @param {any} result */
function countsOf({ stages }) {
  return Object.fromEntries(stages.map((/** @type {any} */ { stage, operations }) => [stage, operations]));
}

test('the four stages of 500 objects match the binding’s call counts exactly and leave nothing behind', async (t) => {
  const edge = await startEdge(t, { buckets: ['one', 'two-2'] });
  const { run, result } = await resultOf(t, edge, ['500', '20', ...SMALL]);
  assertStatus(run, 0);
  assert.deepEqual(countsOf(result), { Write: 500, Read: 500, Stat: 500, Remove: 500 });
  for (const { stage, seconds, operations, attempts, integrityErrors, errors } of result.stages) {
    assert.deepEqual(
      { stage, attempts, errors, integrityErrors },
      { stage, attempts: 500, errors: {}, integrityErrors: 0 },
    );
    assert.equal(
      seconds.reduce((/** @type {number} */ sum, /** @type {any} */ second) => sum + second.operations, 0),
      operations,
    );
  }
  assert.equal(result.options.client, 'edge');
  const record = await edge.record();
  // Preflight and the measurement of the latency with one thread also make requests.
  const { preflight, clock, probe, cleanup } = result.requests;
  const most = 500 + preflight + clock + probe + cleanup;
  for (const call of ['put', 'get', 'head', 'delete']) {
    assert.ok(record[call] >= 500 && record[call] <= most, `${call}: ${record[call]}`);
  }
  assert.deepEqual(await edge.keys(), []);
});

test('a run shows the latency of its requests, and how much of it the binding took', async (t) => {
  const edge = await startEdge(t, { behaviour: { delays: { put: 300, get: 200, head: 100 } } });
  const { run, result } = await resultOf(t, edge, ['24', '12', ...SMALL]);
  assertStatus(run, 0);
  for (const [name, delay] of Object.entries({ Write: 300, Read: 200, Stat: 100 })) {
    const { latency, operations } = result.stages.find((/** @type {any} */ { stage }) => stage === name);
    const { count, minimum, p50 } = latency.binding;
    assert.equal(count, operations);
    assert.ok(minimum >= delay - CLOCK_RESOLUTION_MS, `${name}: ${minimum}`);
    assert.ok(latency.operations.p50 >= p50 - CLOCK_RESOLUTION_MS, `${name}: ${latency.operations.p50}`);
  }
});

test('an interrupted run leaves nothing behind', async (t) => {
  const edge = await startEdge(t, { behaviour: { delays: { put: 20 } } });
  const command = await startCommand(t, ['50000', '12', ...SMALL], { dotEnv: edge.dotEnv });
  await command.shows('stdout', /^\d\d:\d\d:\d\d: Write: Ops/m);
  command.child.kill('SIGINT');
  assertStatus(await command.outcome, 130);
  assert.deepEqual(await edge.keys(), []);
});

test('what a killed run left is removed through the Worker', async (t) => {
  const edge = await startEdge(t, { behaviour: { delays: { put: 20 } } });
  const command = await startCommand(t, ['50000', '12', ...SMALL, '--run-id', 'killed'], { dotEnv: edge.dotEnv });
  await command.shows('stdout', /^\d\d:\d\d:\d\d: Write: Ops/m);
  command.child.kill('SIGKILL');
  await command.outcome;
  assert.notDeepEqual(await edge.keys(), []);
  const cleanup = await runCommand(t, ['cleanup', 'killed', '--client', 'edge'], { dotEnv: edge.dotEnv });
  assertStatus(cleanup, 0);
  assert.deepEqual(await edge.keys(), []);
});

test('objects of 8 MiB are written as streams, and each byte is read', async (t) => {
  const edge = await startEdge(t);
  const large = ['--client', 'edge', '--size', '8MiB', '--timeout', '60s'];
  const { run, result } = await resultOf(t, edge, ['12', '6', ...large]);
  assertStatus(run, 0);
  assert.deepEqual(countsOf(result), { Write: 12, Read: 12, Stat: 12, Remove: 12 });
  const [write, read] = result.stages;
  assert.deepEqual([write.bytes, read.bytes], [12 * 8 * 2 ** 20, 12 * 8 * 2 ** 20]);
  // The time of a large PUT would include its upload.
  assert.deepEqual([write.latency.binding, write.latency.bindingFirstByte], [null, null]);
  assert.deepEqual([read.latency.binding, read.latency.bindingFirstByte.count], [null, 12]);
  const before = await edge.peakMemory();
  const more = await resultOf(t, edge, ['36', '6', ...large, '--stages', 'write,read,remove']);
  assertStatus(more.run, 0);
  assert.ok((await edge.peakMemory()) - before < MAX_MEMORY_GROWTH, 'memory does not grow with the written data');
  assert.deepEqual(await edge.keys(), []);
});

test('the local Worker ends with its terminal', async (t) => {
  const edge = await startEdge(t);
  process.kill(edge.processId, 'SIGHUP');
  const answers = () =>
    edge.record().then(
      () => true,
      () => false,
    );
  while (await answers()) {
    // The process ends by itself.
  }
});
