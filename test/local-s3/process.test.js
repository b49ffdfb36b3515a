import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { test } from 'node:test';
import { startLocalS3 } from '../../lib/local-s3/start.js';
import { freePort } from '../helpers/free-port.js';
import { startTestEndpoint } from '../helpers/local-s3.js';

const START = new URL('../../lib/local-s3/start.js', import.meta.url).href;
const OPTIONS = { buckets: ['b'], credentials: { accessKeyId: 'a', secretAccessKey: 's' } };
const TIME_LIMIT = { timeout: 120_000 };

test('close cuts connections, frees the port, rejects further calls, and may be repeated', TIME_LIMIT, async (t) => {
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
});

test('an endpoint that cannot start shows why', async (t) => {
  const { port } = await startTestEndpoint(t);
  for (const [options, expected] of /** @type {[object, RegExp][]} */ ([
    [{ port }, /EADDRINUSE/],
    [{ tls: { key: 'no key', cert: 'no certificate' } }, /PEM/],
    [{ faults: 'reset=lots' }, /The fault script cannot be used: 'reset=lots': expected a percentage/],
    [{ faults: 'queue@c=400' }, /The fault script cannot be used: 'queue@c': expected one of the buckets b/],
  ])) {
    await assert.rejects(startLocalS3({ ...OPTIONS, ...options }), expected);
  }
});

test(
  'the endpoint survives signals and Ctrl-C, and ends with its parent, even if that is killed',
  TIME_LIMIT,
  async (t) => {
    const program = `
    import { startLocalS3 } from ${JSON.stringify(START)};
    const { port, processId } = await startLocalS3(${JSON.stringify(OPTIONS)});
    process.on('SIGINT', () => process.stdout.write('stopping'));
    process.stdout.write(port + ' ' + processId);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
      // A separate process group gets the signal like that of a terminal.
      detached: true,
    });
    const group = -Number(parent.pid);
    t.after(() => parent.kill('SIGKILL'));
    const [started] = await once(parent.stdout, 'data');
    const [port, processId] = String(started).split(' ').map(Number);
    process.kill(group, 'SIGINT');
    await once(parent.stdout, 'data');
    const isThere = () =>
      fetch(`http://127.0.0.1:${port}/`).then(
        ({ status }) => status >= 400,
        () => false,
      );
    for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM']) {
      process.kill(processId, signal);
      assert.ok(await isThere(), signal);
    }
    process.kill(group, 'SIGKILL');
    await once(parent, 'exit');
    while (await isThere()) {
      // It ends when the system notifies it of its parent's end, which may take a while.
    }
  },
);
