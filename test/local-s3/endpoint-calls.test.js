import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { WorkerCalls } from '../../lib/local-s3/worker-calls.js';

/**
 * A thread that says it listens, answers `report`, fails `list` and does what it is told at `put`.
 *
 * @param {import('node:test').TestContext} t
 * @param {string} onPut
 */
async function startCalls(t, onPut) {
  const program = `
    const { parentPort } = require('node:worker_threads');
    parentPort.on('message', ({ id, method, parameters }) => {
      if (method === 'put') { ${onPut} }
      else if (method === 'list') parentPort.postMessage({ id, error: new Error('no list') });
      else parentPort.postMessage({ id, value: parameters });
    });
    parentPort.postMessage({ id: 0, value: 4711 });`;
  const calls = new WorkerCalls(new Worker(program, { eval: true }));
  t.after(() => calls.close());
  assert.equal(await calls.started, 4711);
  return calls;
}

test('calls get their own outcomes', async (t) => {
  const calls = await startCalls(t, '');
  const outcomes = await Promise.allSettled([calls.call('report', 1), calls.call('list'), calls.call('report', 2)]);
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.message)),
    [[1], 'no list', [2]],
  );
});

test('a thread that throws fails whoever waits, watches, or calls later, with its own error', async (t) => {
  const calls = await startCalls(t, "throw new Error('a mistake of the endpoint');");
  const waiting = calls.call('put');
  await assert.rejects(waiting, { message: 'a mistake of the endpoint' });
  await assert.rejects(calls.failure, { message: 'a mistake of the endpoint' });
  await assert.rejects(calls.call('report'), { message: 'a mistake of the endpoint' });
});

test('a thread that ends of itself fails likewise', async (t) => {
  const calls = await startCalls(t, 'process.exit(3);');
  await assert.rejects(calls.call('put'), /The thread of the local endpoint ended unexpectedly, with exit code 3/);
  await assert.rejects(calls.failure, /exit code 3/);
});

test('a close is no failure, but whoever waits is told', async (t) => {
  const calls = await startCalls(t, '');
  let hasFailed = false;
  calls.failure.catch(() => {
    hasFailed = true;
  });
  const waiting = assert.rejects(calls.call('put'), /The local endpoint has been closed/);
  await calls.close();
  await waiting;
  assert.equal(hasFailed, false);
});
