import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { createReadBuffer, openSharing, readFrom } from '../../lib/store/http/keep-alive-agent.js';
import { testCertificate } from '../helpers/local-s3.js';
import { startSocketServer, until } from '../helpers/socket-server.js';

/**
 * @import { TestContext } from 'node:test'
 * @import { Socket } from 'node:net'
 */

const TIME_LIMIT = { timeout: 120_000 };

/**
 * @param {TestContext} t
 * @param {boolean} useTls
 * @param {Buffer} buffer
 */
async function openPair(t, useTls, buffer) {
  const certificate = useTls ? await testCertificate() : null;
  const server = await startSocketServer(t, { certificate });
  const target = { port: server.port, host: '127.0.0.1', ca: certificate?.cert };
  const open = /** @type {(options: object) => Socket} */ (useTls ? connectTls : connect);
  const socket = openSharing(buffer, (onread) => open({ ...target, onread }));
  t.after(() => socket.destroy());
  await once(socket, useTls ? 'secureConnect' : 'connect');
  await until(() => server.sockets.length === 1);
  return { socket, peer: server.sockets[0] };
}

for (const useTls of [false, true]) {
  const over = useTls ? 'over TLS' : 'over TCP';

  test(`sockets read into the buffer that they share, and into no other, ${over}`, TIME_LIMIT, async (t) => {
    const buffer = createReadBuffer();
    const pairs = await Promise.all(Array.from({ length: 5 }, () => openPair(t, useTls, buffer)));
    const sums = pairs.map(() => 0);
    pairs.forEach(({ socket, peer }, index) => {
      readFrom(socket, (bytes, length) => {
        assert.equal(bytes, buffer);
        assert.ok(length > 0 && length <= buffer.length);
        assert.ok(bytes.subarray(0, length).every((byte) => byte === index));
        sums[index] += length;
      });
      peer.end(Buffer.alloc(200_000 + index, index));
    });
    await Promise.all(pairs.map(({ socket }) => once(socket, 'end')));
    assert.deepEqual(
      sums,
      pairs.map((_, index) => 200_000 + index),
    );
  });
}
