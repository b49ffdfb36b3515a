/** @import { AddressInfo, Server, Socket } from 'node:net' */

/** Thousands of clients may connect at the same moment. */
const BACKLOG = 4096;

/** Loopback only: other hosts cannot reach the embedded endpoint. */
export const HOSTNAME = '127.0.0.1';

export class Listener {
  #server;
  /** @type {Map<string, Socket>} */
  #connections = new Map();

  /**
   * @param {Server} server TCP or TLS
   * @param {() => void} onConnection
   */
  constructor(server, onConnection) {
    this.#server = server;
    server.on('connection', (/** @type {Socket} */ socket) => {
      const name = peerOf(socket);
      this.#connections.set(name, socket);
      socket.on('close', () => {
        // The peer may have reconnected from the same port before this event.
        if (this.#connections.get(name) === socket) {
          this.#connections.delete(name);
        }
      });
      onConnection();
    });
  }

  /**
   * @param {number} port 0 for any free port
   * @returns {Promise<number>} the port; rejects if it is not available
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
   * Closes a connection with RST. Only a TCP socket can do this; the one under a TLS socket is found by its peer.
   *
   * @param {Socket} socket
   */
  reset(socket) {
    this.#connections.get(peerOf(socket))?.resetAndDestroy();
  }
}

/** @param {Socket} socket */
function peerOf(socket) {
  return `${socket.remoteAddress}:${socket.remotePort}`;
}
