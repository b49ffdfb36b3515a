import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { createReadBuffer, openSharing, readFrom } from '../../lib/http/socket-reader.js';
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
 * @param {Buffer | null} buffer
 */
async function openPair(t, useTls, buffer) {
  const certificate = useTls ? await testCertificate() : null;
  const server = await startSocketServer(t, { certificate });
  const target = { port: server.port, host: '127.0.0.1', ca: certificate?.cert };
  const open = /** @type {(options: object) => Socket} */ (useTls ? connectTls : connect);
  const socket = buffer === null ? open(target) : openSharing(buffer, (onread) => open({ ...target, onread }));
  t.after(() => socket.destroy());
  await once(socket, useTls ? 'secureConnect' : 'connect');
  await until(() => server.sockets.length === 1);
  return { socket, peer: server.sockets[0] };
}

for (const useTls of [false, true]) {
  const over = useTls ? 'over TLS' : 'over TCP';

  for (const isShared of [true, false]) {
    const how = isShared ? 'with a shared buffer' : 'without a shared buffer';

    test(`what comes goes to whoever reads last, ${how}, ${over}`, TIME_LIMIT, async (t) => {
      const { socket, peer } = await openPair(t, useTls, isShared ? createReadBuffer() : null);
      const texts = ['', ''];
      readFrom(socket, (bytes, length) => (texts[0] += bytes.toString('latin1', 0, length)));
      peer.write('one');
      await until(() => texts[0] === 'one');
      readFrom(socket, (bytes, length) => (texts[1] += bytes.toString('latin1', 0, length)));
      peer.end('two');
      await once(socket, 'end');
      assert.deepEqual(texts, ['one', 'two']);
    });
  }

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

  test(`bytes that come before anyone reads are dropped, ${over}`, TIME_LIMIT, async (t) => {
    const { socket, peer } = await openPair(t, useTls, createReadBuffer());
    peer.write('nobody');
    await until(() => socket.bytesRead >= 6 && peer.writableLength === 0);
    let text = '';
    // Those over TLS may not have been decrypted yet: an answer to what was sent after them comes after them.
    peer.once('data', () => peer.end('somebody'));
    await new Promise((resolve) => setTimeout(resolve, 20));
    readFrom(socket, (bytes, length) => (text += bytes.toString('latin1', 0, length)));
    socket.write('?');
    await once(socket, 'end');
    assert.equal(text, 'somebody');
  });
}
