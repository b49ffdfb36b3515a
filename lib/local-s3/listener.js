/** Thousands of clients may connect at the same moment. */
const BACKLOG = 4096;

/** The embedded endpoint is nobody else's business. */
export const HOSTNAME = '127.0.0.1';

/** Keeps the connections of a server, so that they can be counted and reset. */
export class Listener {
  #server;
  /** @type {Map<string, import('node:net').Socket>} */
  #connections = new Map();

  /**
   * @param {import('node:net').Server} server also one for TLS
   * @param {() => void} onConnection
   */
  constructor(server, onConnection) {
    this.#server = server;
    server.on('connection', (/** @type {import('node:net').Socket} */ socket) => {
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
        const address = /** @type {import('node:net').AddressInfo} */ (this.#server.address());
        resolve(address.port);
      });
    });
  }

  /**
   * Ends a connection with RST. Only TCP can: a socket of TLS is looked up by its peer to reach the one underneath.
   *
   * @param {import('node:net').Socket} socket
   */
  reset(socket) {
    this.#connections.get(peerOf(socket))?.resetAndDestroy();
  }

  /**
   * The next connection may have the same peer before the end of this one is noticed.
   *
   * @param {string} name
   * @param {import('node:net').Socket} socket
   */
  #forget(name, socket) {
    if (this.#connections.get(name) === socket) {
      this.#connections.delete(name);
    }
  }
}

/** @param {import('node:net').Socket} socket */
function peerOf(socket) {
  return `${socket.remoteAddress}:${socket.remotePort}`;
}
