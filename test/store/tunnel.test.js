import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { test } from 'node:test';
import { openTunnel } from '../../lib/store/http/keep-alive-agent.js';

/**
 * @import { AddressInfo } from 'node:net'
 * @import { TestContext } from 'node:test'
 */

/**
 * @param {TestContext} t
 * @param {(socket: net.Socket) => void} answer to the request, once its head is there
 * @returns {Promise<{ socket: net.Socket, heads: string[] }>} a socket that is connected to a proxy that answers so
 */
async function connectTo(t, answer) {
  /** @type {string[]} */
  const heads = [];
  const server = net.createServer((peer) => {
    let head = '';
    peer.on('error', () => {});
    peer.on('data', (chunk) => {
      head += chunk.toString('latin1');
      if (head.endsWith('\r\n\r\n')) {
        heads.push(head);
        answer(peer);
      }
    });
    t.after(() => peer.destroy());
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)));
  const socket = net.connect(/** @type {AddressInfo} */ (server.address()).port, '127.0.0.1');
  t.after(() => {
    socket.destroy();
    server.close();
  });
  await once(socket, 'connect');
  return { socket, heads };
}

test('the proxy is asked for host and port, with the credentials that it was given', async (t) => {
  const { socket, heads } = await connectTo(t, (peer) => peer.write('HTTP/1.1 200 OK\r\n\r\n'));
  await openTunnel(socket, { hostname: 'store.test', port: 443 }, 'Basic bWU6d29yZA==');
  assert.match(
    heads[0],
    /^CONNECT store\.test:443 HTTP\/1\.1\r\nhost: store\.test:443\r\nproxy-authorization: Basic bWU6d29yZA==\r\n/,
  );
  const other = await connectTo(t, (peer) => peer.write('HTTP/1.0 200\r\nVia: x\r\n\r\n'));
  await openTunnel(other.socket, { hostname: '2001:db8::7', port: 9000 });
  assert.match(other.heads[0], /^CONNECT \[2001:db8::7\]:9000 HTTP\/1\.1\r\nhost: \[2001:db8::7\]:9000\r\n/);
});

for (const { answer, message } of [
  {
    answer: 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n',
    message: /it answered 407 Proxy Authentication Required$/,
  },
  { answer: 'HTTP/1.1 502\r\n\r\n', message: /it answered 502$/ },
  { answer: 'SSH-2.0-x\r\n\r\n', message: /it answered with something other than HTTP$/ },
  { answer: `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(17_000)}`, message: /it answered with something other than HTTP$/ },
]) {
  test(`an answer such as ${JSON.stringify(answer.slice(0, 40))} opens no tunnel`, async (t) => {
    const { socket } = await connectTo(t, (peer) => peer.write(answer));
    await assert.rejects(openTunnel(socket, { hostname: 'store.test', port: 80 }), {
      code: 'ERR_PROXY_REFUSED',
      message,
    });
  });
}

test('a proxy that ends the connection opens no tunnel', async (t) => {
  for (const end of [
    (/** @type {net.Socket} */ peer) => peer.end(),
    (/** @type {net.Socket} */ peer) => peer.resetAndDestroy(),
  ]) {
    const { socket } = await connectTo(t, end);
    await assert.rejects(openTunnel(socket, { hostname: 'store.test', port: 80 }), { code: 'ECONNRESET' });
  }
});
