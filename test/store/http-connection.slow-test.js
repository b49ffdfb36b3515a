import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { testCertificate } from '../helpers/local-s3.js';
import { startSocketServer } from '../helpers/socket-server.js';

const UPLOAD_BYTES = 256 * 1024 * 1024;

/** What a process may come to hold by an upload, beyond what it held before: pieces, the system's buffers not counted. */
const MAX_GROWTH_BYTES = 100 * 1024 * 1024;

/** Uploads views of one block, and prints how large the process was before, and at its largest. */
const UPLOADER = `
  import { AddressBook } from '${new URL('../../lib/store/http/address-book.js', import.meta.url)}';
  import { HttpConnection } from '${new URL('../../lib/store/http/http-connection.js', import.meta.url)}';
  import { KeepAliveAgent, createReadBuffer } from '${new URL('../../lib/store/http/keep-alive-agent.js', import.meta.url)}';

  const [port, certificate, size] = process.argv.slice(1);
  const now = () => performance.now();
  const agent = new KeepAliveAgent({
    hostname: '127.0.0.1', addresses: new AddressBook('127.0.0.1', now), port: Number(port), useTls: certificate !== '',
    certificate, connectTimeout: 60_000, readBuffer: createReadBuffer(), now, hooks: { opened() {} },
  });
  const block = Buffer.alloc(1024 * 1024, 'b');
  function* views() {
    for (let left = Number(size); left > 0; left -= block.length) {
      yield block.subarray(0, Math.min(left, block.length));
    }
  }
  let sent = 0;
  let status = 0;
  const before = process.memoryUsage.rss();
  const done = (error) => {
    const peak = process.resourceUsage().maxRSS * 1024;
    console.log(JSON.stringify({ status, sent, error: error instanceof Error ? error.message : null, growth: peak - before }));
    agent.close();
  };
  const handler = {
    onSent: (bytes) => (sent += bytes), onHead: (given) => (status = given), onHeader() {}, onBody() {},
    onEnd: done, onError: done,
  };
  new HttpConnection(handler, { agent, host: 'store.test', keepAlive: true })
    .send({ method: 'PUT', target: '/', headers: [], body: views(), size: Number(size) });
`;

for (const useTls of [false, true]) {
  test(`an upload of 256 MiB takes a fixed amount of memory, over ${useTls ? 'TLS' : 'TCP'}`, async (t) => {
    let received = 0;
    const certificate = useTls ? await testCertificate() : null;
    const { port } = await startSocketServer(t, {
      certificate,
      onSocket: (socket) => {
        socket.on('data', (chunk) => {
          received += chunk.length;
          if (received > UPLOAD_BYTES) {
            socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
          }
          // A reader that is slower than the writer: each now and then, so that it takes no more than a few seconds.
          if (received % 64 === 0) {
            socket.pause();
            setImmediate(() => socket.resume());
          }
        });
      },
    });
    const args = [
      '--input-type=module',
      '-e',
      UPLOADER,
      '--',
      String(port),
      certificate?.cert ?? '',
      String(UPLOAD_BYTES),
    ];
    const uploader = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    t.after(() => uploader.kill());
    let output = '';
    uploader.stdout.on('data', (text) => (output += text));
    await once(uploader, 'close');
    const { status, sent, error, growth } = JSON.parse(output);
    assert.deepEqual([status, sent, error], [200, UPLOAD_BYTES, null]);
    assert.ok(growth < MAX_GROWTH_BYTES, `the process grew by ${growth} bytes`);
    t.diagnostic(`grew by ${Math.round(growth / 1024 / 1024)} MiB`);
  });
}
