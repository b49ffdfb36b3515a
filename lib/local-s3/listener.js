/** @import { AddressInfo, Server, Socket } from 'node:net' */

/** Thousands of clients may connect at the same moment. */
const BACKLOG = 4096;

/** The embedded endpoint is nobody else's business. */
export const HOSTNAME = '127.0.0.1';

/** Keeps the connections of a server, so that they can be counted and reset. */
export class Listener {
  #server;
  /** @type {Map<string, Socket>} */
  #connections = new Map();

  /**
   * @param {Server} server also one for TLS
   * @param {() => void} onConnection
   */
  constructor(server, onConnection) {
    this.#server = server;
    server.on('connection', (/** @type {Socket} */ socket) => {
      const name = peerOf(socket);
      this.#connections.set(name, socket);
      socket.on('close', () => this.#forget(name, socket));
      onConnection();
    });
  }

  /**
   * @param {number} port 0 for any that is free
   * @returns {Promise<number>} the port; rejects when it cannot be had
   */
  listen(port) {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host: HOSTNAME, port, backlog: BACKLOG }, () => {
        this.#server.off('error', reject);
        const address = /** @type {AddressInfo} */ (this.#server.address());
        resolve(address.port);
      });
    });
  }

  /**
   * Ends a connection with RST. Only TCP can: a socket of TLS is looked up by its peer to reach the one underneath.
   *
   * @param {Socket} socket
   */
  reset(socket) {
    this.#connections.get(peerOf(socket))?.resetAndDestroy();
  }

  /**
   * The next connection may have the same peer before the end of this one is noticed.
   *
   * @param {string} name
   * @param {Socket} socket
   */
  #forget(name, socket) {
    if (this.#connections.get(name) === socket) {
      this.#connections.delete(name);
    }
  }
}

/** @param {Socket} socket */
function peerOf(socket) {
  return `${socket.remoteAddress}:${socket.remotePort}`;
}
