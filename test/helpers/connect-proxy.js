import http from 'node:http';
import net from 'node:net';

/**
 * @import { AddressInfo } from 'node:net'
 * @import { TestContext } from 'node:test'
 */

/**
 * A proxy that opens tunnels to one port of this host, whatever host is requested.
 *
 * @typedef {object} ConnectProxy
 * @property {number} port
 * @property {string[]} tunnels requested and opened
 * @property {string | null} user required `name:password`; null if none is required
 *
 * @param {TestContext} t
 * @param {{ user?: string | null, port: number }} options
 * @returns {Promise<ConnectProxy>}
 */
export async function startConnectProxy(t, { user = null, port }) {
  const server = http.createServer((_request, response) => response.writeHead(405).end());
  const proxy = { port: 0, tunnels: /** @type {string[]} */ ([]), user };
  /** @type {Set<net.Socket>} */
  const sockets = new Set();
  server.on('connect', (request, client) => {
    const wanted = proxy.user === null ? undefined : `Basic ${Buffer.from(proxy.user).toString('base64')}`;
    if (request.headers['proxy-authorization'] !== wanted) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n');
      return;
    }
    proxy.tunnels.push(String(request.url));
    const store = net.connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      store.pipe(client).pipe(store);
    });
    for (const [one, other] of /** @type {[net.Socket, net.Socket][]} */ ([
      [store, client],
      [client, store],
    ])) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)));
  proxy.port = /** @type {AddressInfo} */ (server.address()).port;
  t.after(() => {
    sockets.forEach((socket) => socket.destroy());
    return new Promise((resolve) => server.close(resolve));
  });
  return proxy;
}
