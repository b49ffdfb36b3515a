import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { HeadBucketCommand } from '@aws-sdk/client-s3';
import { sdkClient, startTestEndpoint } from '../helpers/local-s3.js';

const START = new URL('../../lib/local-s3/start.js', import.meta.url).href;

test('the process creates a certificate that a client can trust', async (t) => {
  const endpoint = await startTestEndpoint(t, { tls: 'self-signed' });
  assert.match(String(endpoint.certificate), /^-----BEGIN CERTIFICATE-----\n/);
  await sdkClient(t, endpoint).send(new HeadBucketCommand({ Bucket: 'bucket-a' }));
});

test('signals do not end the endpoint, which belongs to its parent process', async (t) => {
  const endpoint = await startTestEndpoint(t);
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM']) {
    process.kill(endpoint.processId, signal);
    assert.deepEqual(await endpoint.list('bucket-a'), []);
  }
});

test(
  'the endpoint survives Ctrl-C, and ends with its parent process, even if that is killed',
  { timeout: 120_000 },
  async (t) => {
    const program = `
    import { startLocalS3 } from ${JSON.stringify(START)};
    const { port } = await startLocalS3({ buckets: ['b'], credentials: { accessKeyId: 'a', secretAccessKey: 's' } });
    process.on('SIGINT', () => process.stdout.write('stopping'));
    process.stdout.write(String(port));`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
      // A separate process group gets the signal like that of a terminal.
      detached: true,
    });
    const group = -Number(parent.pid);
    t.after(() => parent.kill('SIGKILL'));
    const [port] = await once(parent.stdout, 'data');
    const url = `http://127.0.0.1:${port}/`;
    process.kill(group, 'SIGINT');
    await once(parent.stdout, 'data');
    assert.ok((await fetch(url)).status >= 400, 'it answers');
    process.kill(group, 'SIGKILL');
    await once(parent, 'exit');
    for (;;) {
      // It ends when the system notifies it of its parent's end, which may take a while.
      if (
        await fetch(url).then(
          () => false,
          () => true,
        )
      ) {
        return;
      }
    }
  },
);
