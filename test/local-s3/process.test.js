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

/** @param {import('node:test').TestContext} t */
async function startProcess(t) {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(OPTIONS)], { stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const [line] = await once(createInterface(child.stdout), 'line');
  return { child, port: JSON.parse(line).port };
}

test('the endpoint serves from a process of its own, and ends on SIGTERM', async (t) => {
  const { child, port } = await startProcess(t);
  const address = { hostname: '127.0.0.1', port, region: 'auto', credentials: OPTIONS.credentials, tls: null };
  await sdkClient(t, address).send(new HeadBucketCommand({ Bucket: 'b' }));
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});

test('the process ends when its standard input does', async (t) => {
  const { child } = await startProcess(t);
  child.stdin.end();
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});
