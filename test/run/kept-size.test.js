import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keptSizeProblem } from '../../lib/run/preflight/existing-objects.js';
import { objectSizes } from '../../lib/load/workload/size-distribution.js';
import { classifyAnswer } from '../../lib/store/s3-error.js';
import { fakeEngine } from '../helpers/fake-store.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';

/** @import { Overrides } from '../helpers/run-config.js' */

const NEVER = new AbortController().signal;

/**
 * @param {(index: number) => number} sizeOf bytes of an object; -2 for an absent one
 * @param {Overrides} [overrides]
 */
async function ask(sizeOf, overrides = {}) {
  /** @type {number[]} */
  const asked = [];
  const config = runConfig(NO_TARGET, { stages: ['read'], size: 1000, ...overrides });
  const { clock, random, connections, workload } = fakeEngine({
    answer: ({ index, connection, method }) => {
      assert.equal(method, 'head');
      asked.push(index);
      if (sizeOf(index) === -2) {
        throw classifyAnswer({ status: 404, now: 0 });
      }
      connection.reply.contentLength = sizeOf(index);
    },
  });
  const requests = { preflight: 0, clock: 0, probe: 0, cleanup: 0 };
  const { keyspace } = workload;
  const wroteObjects = config.load.stages.includes('write');
  const controlOptions = { region: 'auto' };
  const control = { controlConnections: connections, controlOptions };
  const run = /** @type {any} */ ({ clock, random, keyspace, ...control, requests, wroteObjects });
  const problem = await keptSizeProblem(run, config, NEVER);
  assert.equal(requests.preflight, asked.length, 'every request is counted');
  return { problem, asked };
}

test('reports objects of another size', async () => {
  const { problem, asked } = await ask(() => 4096);
  assert.equal(problem, '--size: the first objects of run run-1 are 4KiB, not 1000B; expected the --size of that run');
  assert.deepEqual(asked, [0, 1, 2]);
});

test('one existing object is enough', async () => {
  assert.match((await ask((index) => (index === 2 ? 5 : -2))).problem ?? '', /are 5B, not/);
  assert.match((await ask(() => 5, { objects: 1 })).problem ?? '', /are 5B, not/);
});

test('one object of the right size is enough; the stage checks the others', async () => {
  assert.deepEqual(await ask(() => 1000), { problem: null, asked: [0] });
  assert.equal((await ask((index) => (index === 0 ? 7 : 1000))).problem, null);
});

test('reports each unexpected size: the run had a size distribution', async () => {
  assert.match((await ask((index) => 7 + index)).problem ?? '', /are 7B or 8B or 9B, not 1000B/);
});

test('objects of several sizes are checked against the size of each', async () => {
  const sizes = /** @type {const} */ ({ kind: 'log-uniform', min: 1024, max: 4096 });
  const sizeOf = objectSizes({ runId: 'run-1', size: 4096, sizes });
  assert.equal((await ask(sizeOf, { size: 4096, sizes })).problem, null);
  const { problem } = await ask((index) => sizeOf(index) + 1, { size: 4096, sizes });
  assert.match(problem ?? '', /not 1KiB\.\.4KiB; expected the --size/);
  assert.match((await ask(() => 4096, { size: 4096, sizes: { ...sizes, min: 1 } })).problem ?? '', /are 4KiB, not/);
});

test('absent objects and unknown sizes are not a problem', async () => {
  const { problem, asked } = await ask(() => -2);
  assert.deepEqual([problem, asked], [null, [0, 1, 2]]);
  assert.equal((await ask(() => -1)).problem, null);
});

test('a shard asks for its own objects', async () => {
  assert.deepEqual((await ask(() => 5, { shard: { index: 2, count: 7 } })).asked, [2, 9, 16]);
});

test('a run that writes, or neither reads nor stats, sends no request', async () => {
  for (const stages of [['write', 'read'], ['remove'], []]) {
    assert.deepEqual(await ask(() => 5, { stages }), { problem: null, asked: [] });
  }
});
