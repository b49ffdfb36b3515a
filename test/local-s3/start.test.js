import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startLocalS3 } from '../../lib/local-s3/start.js';
import { freePort } from '../helpers/free-port.js';
import { startTestEndpoint } from '../helpers/local-s3.js';

const OPTIONS = { buckets: ['b'], credentials: { accessKeyId: 'a', secretAccessKey: 's' } };

test(
  'close cuts connections, frees the port, rejects further calls, and may be repeated',
  { timeout: 120_000 },
  async (t) => {
    const endpoint = await startTestEndpoint(t, { port: await freePort() });
    const socket = net.connect(endpoint.port, endpoint.hostname);
    while ((await endpoint.report()).connections === 0) {
      // A connection is counted once the endpoint has accepted it; each report is a round trip.
    }
    socket.on('error', () => {});
    const closed = once(socket.resume(), 'close');
    await endpoint.close();
    await closed;
    await endpoint.close();
    await assert.rejects(endpoint.report(), /The local endpoint has been closed/);
    const again = await startTestEndpoint(t, { port: endpoint.port });
    assert.equal(again.port, endpoint.port);
  },
);

test('an occupied port is an error', async (t) => {
  const { port } = await startTestEndpoint(t);
  await assert.rejects(startLocalS3({ ...OPTIONS, port }), { code: 'EADDRINUSE' });
});

test('an invalid certificate is an error', async () => {
  const tls = { key: 'no key', cert: 'no certificate' };
  await assert.rejects(startLocalS3({ ...OPTIONS, tls }), /PEM/);
});

test('an object in an unknown bucket cannot be added, and the endpoint survives', async (t) => {
  const endpoint = await startTestEndpoint(t);
  await assert.rejects(endpoint.put('unknown', 'k', Buffer.alloc(1)), /The specified bucket does not exist: unknown/);
  assert.deepEqual(await endpoint.list('bucket-a'), []);
});

test('a closed endpoint does not keep its process alive', async () => {
  const start = new URL('../../lib/local-s3/start.js', import.meta.url);
  const program = `
    import { startLocalS3 } from ${JSON.stringify(start.href)};
    const endpoint = await startLocalS3(${JSON.stringify(OPTIONS)});
    await endpoint.close();
    process.stdout.write('closed');`;
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { timeout: 30_000 });
  assert.equal((await run).stdout, 'closed');
});
