import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { HeadBucketCommand } from '@aws-sdk/client-s3';
import { sdkClient } from '../helpers/local-s3.js';

const PROGRAM = fileURLToPath(new URL('../../lib/local-s3/process.js', import.meta.url));
const OPTIONS = { buckets: ['b'], credentials: { accessKeyId: 'a', secretAccessKey: 's' } };

/**
 * @param {import('node:test').TestContext} t
 * @param {object} [overrides]
 */
async function startProcess(t, overrides = {}) {
  const options = JSON.stringify({ ...OPTIONS, ...overrides });
  const child = spawn(process.execPath, [PROGRAM, options], { stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextMessage = async () => JSON.parse((await lines.next()).value);
  const { port, certificate } = await nextMessage();
  const tls = certificate === null ? null : { key: '', cert: certificate };
  const address = { hostname: '127.0.0.1', port, region: 'auto', credentials: OPTIONS.credentials, tls };
  return { child, nextMessage, client: sdkClient(t, address), certificate };
}

test('the endpoint serves from a process of its own, and ends on SIGTERM', async (t) => {
  const { child, client, certificate } = await startProcess(t);
  assert.equal(certificate, null);
  await client.send(new HeadBucketCommand({ Bucket: 'b' }));
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});

test('the process ends when its standard input does', async (t) => {
  const { child } = await startProcess(t);
  child.stdin.end();
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});

for (const mode of ['store', 'null']) {
  test(`the process makes a certificate that a client can trust, in mode ${mode}`, async (t) => {
    const { client, certificate } = await startProcess(t, { mode, tls: 'self-signed' });
    assert.match(certificate, /^-----BEGIN CERTIFICATE-----\n/);
    await client.send(new HeadBucketCommand({ Bucket: 'b' }));
  });
}

test('the process reports what the endpoint has done, and its load since the report before', async (t) => {
  const { child, nextMessage, client } = await startProcess(t, { mode: 'null' });
  child.stdin.write('report\n');
  const first = await nextMessage();
  await client.send(new HeadBucketCommand({ Bucket: 'b' }));
  child.stdin.write('report\nreport\n');
  const [second, third] = [await nextMessage(), await nextMessage()];
  assert.deepEqual(
    [first, second, third].map(({ requests }) => requests.BUCKET.total),
    [0, 1, 1],
  );
  for (const { eventLoopUtilization, cpuUser, cpuSystem } of [first, second, third]) {
    assert.ok(eventLoopUtilization >= 0 && eventLoopUtilization <= 1);
    assert.ok(cpuUser >= 0 && cpuSystem >= 0);
  }
  assert.ok(second.cpuUser + second.cpuSystem > 0);
  // The two were asked for in one breath.
  assert.ok(third.cpuUser + third.cpuSystem < second.cpuUser + second.cpuSystem);
});

test('a line that the process does not know is answered with what was expected', async (t) => {
  const { child, nextMessage } = await startProcess(t);
  child.stdin.write('rapport\n');
  assert.deepEqual(await nextMessage(), { error: 'expected the line report, got rapport' });
});
