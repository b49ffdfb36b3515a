import { once } from 'node:events';
import net from 'node:net';
import tls from 'node:tls';
import { freePort } from './free-port.js';

/** @import { TestContext } from 'node:test' */

/**
 * @typedef {object} SocketServer
 * @property {number} port
 * @property {net.Socket[]} sockets accepted connections in order; with TLS, after the handshake
 * @property {() => Promise<void>} closed resolves when all accepted connections are closed
 */

/**
 * Starts a server whose handling of connections the test determines, and stops it after the test.
 *
 * @param {TestContext} t
 * @param {object} [options]
 * @param {{ key: string, cert: string } | null} [options.certificate] for TLS
 * @param {(socket: net.Socket) => void} [options.onSocket]
 * @param {string} [options.host]
 * @returns {Promise<SocketServer>}
 */
export async function startSocketServer(t, { certificate = null, onSocket = () => {}, host = '127.0.0.1' } = {}) {
  /** @type {net.Socket[]} */
  const sockets = [];
  /** @type {Promise<unknown>[]} */
  const closings = [];
  const server = certificate === null ? net.createServer() : tls.createServer(certificate);
  server.on(certificate === null ? 'connection' : 'secureConnection', (/** @type {net.Socket} */ socket) => {
    sockets.push(socket);
    // events.once() would reject on an error, possibly without a handler.
    closings.push(new Promise((resolve) => socket.once('close', resolve)));
    socket.on('error', () => {});
    onSocket(socket);
  });
  server.on('tlsClientError', () => {});
  server.listen(0, host);
  await once(server, 'listening');
  t.after(() => {
    server.close();
    sockets.forEach((socket) => socket.destroy());
  });
  const { port } = /** @type {net.AddressInfo} */ (server.address());
  return {
    port,
    sockets,
    closed: async () => {
      await Promise.all(closings);
    },
  };
}

/** @returns {Promise<number>} an unused port */
export const closedPort = freePort;

/**
 * Resolves as soon as a condition holds, or the test times out.
 *
 * @param {() => boolean} condition
 */
export async function until(condition) {
  while (!condition()) {
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
