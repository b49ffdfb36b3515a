import { HttpConnection } from '../../../lib/store/http/http-connection.js';
import { createReadBuffer, openSharing } from '../../../lib/store/http/socket-reader.js';
import { SharingMemorySocket } from './memory-socket.js';

/**
 * @import { HttpHandler } from '../../../lib/store/http/http-connection.js'
 * @import { ByteCount } from './byte-count.js'
 */

const GET = { method: 'GET', target: '/', headers: [], body: null, size: 0 };

/**
 * GETs over the direct client's connection, which calls the on… methods and reads into a shared buffer.
 *
 * @implements {HttpHandler}
 */
export class OwnHandler {
  #connection;
  /** @type {SharingMemorySocket} */
  #socket;
  /** @type {ByteCount | null} */
  #sink = null;
  /** @type {() => void} */
  #resolve = () => {};
  /** @type {(error: Error) => void} */
  #reject = () => {};

  constructor() {
    this.#socket = /** @type {any} */ (
      openSharing(createReadBuffer(), (onread) => /** @type {any} */ (new SharingMemorySocket(onread)))
    );
    const agent = {
      reused: 0,
      connect: (/** @type {(error: null, socket: SharingMemorySocket, openedAhead: boolean) => void} */ callback) =>
        queueMicrotask(() => callback(null, this.#socket, false)),
    };
    this.#connection = new HttpConnection(this, {
      agent: /** @type {any} */ (agent),
      host: 'memory.invalid',
      keepAlive: true,
    });
  }

  /**
   * @param {readonly Buffer[]} chunks of the body
   * @returns {Promise<void>} resolves once the head has arrived
   */
  open(chunks) {
    return new Promise((resolve, reject) => {
      this.#socket.announce(chunks);
      this.#resolve = resolve;
      this.#reject = reject;
      this.#connection.send(GET);
    });
  }

  /** @param {readonly Buffer[]} chunks */
  receive(chunks) {
    this.#socket.receive(chunks);
  }

  /**
   * @param {ByteCount} sink
   * @param {() => void} begin starts the body
   * @returns {Promise<void>} resolves once the whole body has arrived
   */
  readBody(sink, begin) {
    return new Promise((resolve, reject) => {
      this.#sink = sink;
      this.#resolve = resolve;
      this.#reject = reject;
      begin();
    });
  }

  onSent() {}

  onHeader() {}

  onHead() {
    this.#resolve();
  }

  /** @param {Buffer} chunk */
  onBody(chunk) {
    this.#sink?.accept(chunk);
  }

  onEnd() {
    this.#resolve();
  }

  /** @param {Error} error */
  onError(error) {
    this.#reject(error);
  }
}
