import { memoryClient, memorySocket } from './memory-socket.js';

/** @import { ByteCount } from './byte-count.js' */

/**
 * A GET whose body undici hands to a handler, the rawest form that it has: undici calls the on… methods.
 */
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

  /** Lets undici go on with a body that is held. @type {() => void} */
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
   * @param {{ holdsBody: boolean }} options whether undici has to stop behind the head of the response
   * @returns {Promise<RawHandler>} once the head is there
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
   * @param {() => void} begin makes the body come
   * @returns {Promise<void>} once the whole body has come
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
    // Behind undici's own reading, which goes on until the socket has no more.
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
