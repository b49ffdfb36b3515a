import { memoryClient, memorySocket } from './memory-socket.js';

/** @import { ByteCount } from './byte-count.js' */

/** A GET in undici's lowest-level form: undici passes the body to a handler's on… methods. */
export class RawHandler {
  #holdsBody;
  /** @type {(handler: RawHandler) => void} */
  #opened;
  /** @type {(error: Error) => void} */
  #reject;
  /** @type {() => void} */
  #resolve = () => {};
  /** @type {ByteCount | null} */
  #sink = null;

  /** Lets undici continue with a held body. @type {() => void} */
  resume = () => {};

  /**
   * @param {boolean} holdsBody
   * @param {(handler: RawHandler) => void} opened
   * @param {(error: Error) => void} reject
   */
  constructor(holdsBody, opened, reject) {
    this.#holdsBody = holdsBody;
    this.#opened = opened;
    this.#reject = reject;
  }

  /**
   * @param {readonly Buffer[]} chunks of the body
   * @param {{ holdsBody: boolean }} options whether undici must stop after the head of the response
   * @returns {Promise<RawHandler>} resolves once the head has arrived
   */
  static open(chunks, { holdsBody }) {
    return new Promise((resolve, reject) => {
      memorySocket.announce(chunks);
      const handler = new RawHandler(holdsBody, resolve, reject);
      memoryClient.dispatch({ method: 'GET', path: '/' }, /** @type {any} */ (handler));
    });
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

  onConnect() {}

  /**
   * @param {number} _status
   * @param {Buffer[]} _headers
   * @param {() => void} resume
   */
  onHeaders(_status, _headers, resume) {
    this.resume = resume;
    // Wait until undici has read the socket until it is empty.
    setImmediate(() => this.#opened(this));
    return !this.#holdsBody;
  }

  /** @param {Buffer} chunk */
  onData(chunk) {
    this.#sink?.accept(chunk);
    return true;
  }

  onComplete() {
    this.#resolve();
  }

  /** @param {Error} error */
  onError(error) {
    this.#reject(error);
  }
}
