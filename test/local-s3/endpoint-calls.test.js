import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { EndpointCalls } from '../../lib/local-s3/endpoint-calls.js';

/** @import { TestContext } from 'node:test' */

/**
 * A process that returns the parameters of `report`, fails `list`, and runs code at `put`.
 *
 * @param {TestContext} t
 * @param {string} onPut
 */
function startCalls(t, onPut) {
  const program = `
    process.on('message', ({ id, method, parameters }) => {
      if (method === 'put') { ${onPut} }
      else if (method === 'list') process.send({ id, error: { message: 'no list', code: 'ENOLIST' } });
      else process.send({ id, value: parameters });
    });`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  const calls = new EndpointCalls(child);
  t.after(() => calls.close());
  return calls;
}

test('calls get their own outcomes', async (t) => {
  const calls = startCalls(t, '');
  const outcomes = await Promise.allSettled([calls.call('report', 1), calls.call('list'), calls.call('report', 2)]);
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.code)),
    [[1], 'ENOLIST', [2]],
  );
});

test('an error reported by the process fails all waiting, watching and later calls', async (t) => {
  const mistake = { message: 'a mistake of the endpoint' };
  const calls = startCalls(t, `process.send({ id: null, error: ${JSON.stringify(mistake)} }, () => process.exit(1));`);
  await assert.rejects(calls.call('put'), mistake);
  await assert.rejects(calls.failure, mistake);
  await assert.rejects(calls.call('report'), mistake);
});

test('a process that exits also fails them', async (t) => {
  const calls = startCalls(t, 'process.exit(3);');
  await assert.rejects(calls.call('put'), /the process of the local endpoint ended unexpectedly, with exit code 3/);
  await assert.rejects(calls.failure, /exit code 3/);
});

test('a process that is killed also fails them', async (t) => {
  const calls = startCalls(t, "process.kill(process.pid, 'SIGKILL');");
  await assert.rejects(calls.call('put'), /the process of the local endpoint ended unexpectedly, by SIGKILL/);
});

test('a process that cannot be started also fails them, and can be closed', async () => {
  const calls = new EndpointCalls(spawn('no-such-program', { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] }));
  await assert.rejects(calls.call('report'), { code: 'ENOENT' });
  await calls.close();
});

test('closing is not a failure, but waiting calls are rejected', async (t) => {
  const calls = startCalls(t, '');
  let hasFailed = false;
  calls.failure.catch(() => {
    hasFailed = true;
  });
  const waiting = assert.rejects(calls.call('put'), /The local endpoint has been closed/);
  await calls.close();
  await waiting;
  assert.equal(hasFailed, false);
});
