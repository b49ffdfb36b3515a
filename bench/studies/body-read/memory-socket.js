import { Duplex } from 'node:stream';
import { Client } from 'undici';

/** More chunks than any pipe of the study has. */
const MAX_CHUNKS = 1024;

/**
 * A socket without a network: it answers each request with the head of a response, and the body is pushed into it. What
 * undici does with a response is all that is left to measure.
 */
class MemorySocket extends Duplex {
  /** Bytes of the next response's body. */
  contentLength = 0;

  constructor() {
    // Chunks of a stream of bytes would be joined when undici reads them.
    super({ readableObjectMode: true, readableHighWaterMark: MAX_CHUNKS });
  }

  _read() {}

  /**
   * @param {Buffer} _chunk
   * @param {BufferEncoding} _encoding
   * @param {() => void} callback
   */
  _write(_chunk, _encoding, callback) {
    this.push(Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${this.contentLength}\r\n\r\n`));
    callback();
  }

  /** @param {readonly Buffer[]} chunks of the next response's body */
  announce(chunks) {
    this.contentLength = chunks.reduce((sum, { length }) => sum + length, 0);
  }

  /** @param {readonly Buffer[]} chunks */
  receive(chunks) {
    chunks.forEach((chunk) => this.push(chunk));
  }
}

export const memorySocket = new MemorySocket();
export const MEMORY_ORIGIN = 'http://memory.invalid';

/** All its requests are answered by the socket in memory. */
export const memoryClient = new Client(MEMORY_ORIGIN, {
  headersTimeout: 0,
  bodyTimeout: 0,
  connect: /** @type {any} */ (
    (/** @type {unknown} */ _options, /** @type {(error: null, socket: Duplex) => void} */ callback) =>
      // undici does not go on with a request whose connection is there before its call has returned.
      queueMicrotask(() => callback(null, memorySocket))
  ),
});
