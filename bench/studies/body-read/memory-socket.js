import { Duplex } from 'node:stream';
import { Client } from 'undici';

/** More chunks than any pipe of the study has. */
const MAX_CHUNKS = 1024;

const LONGER_THAN_THE_STUDY_MS = 3_600_000;

/**
 * A socket without a network: it answers each request with the head of a response, and the body is pushed into it. What
 * a client does with a response is all that is left to measure.
 */
export class MemorySocket extends Duplex {
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
    this.receive([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${this.contentLength}\r\n\r\n`)]);
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

/**
 * One that puts what it receives into a buffer, as Node does where a socket is opened with `onread`. A chunk that lies there
 * already is not copied again: copying is the system's work, and the other socket is spared it, too.
 */
export class SharingMemorySocket extends MemorySocket {
  #onread;
  /** @type {Buffer | null} */
  #inBuffer = null;

  /** @param {{ buffer: Buffer, callback: (length: number, bytes: Uint8Array) => boolean }} onread */
  constructor(onread) {
    super();
    this.#onread = onread;
  }

  /** @param {readonly Buffer[]} chunks */
  receive(chunks) {
    const { buffer, callback } = this.#onread;
    for (const chunk of chunks) {
      if (chunk !== this.#inBuffer) {
        chunk.copy(buffer);
        this.#inBuffer = chunk;
      }
      callback(chunk.length, buffer);
    }
  }
}

export const memorySocket = new MemorySocket();
export const MEMORY_ORIGIN = 'http://memory.invalid';

/** All its requests are answered by the socket in memory. */
export const memoryClient = new Client(MEMORY_ORIGIN, {
  headersTimeout: 0,
  bodyTimeout: 0,
  // A socket in memory that undici had given up while others were measured could not be opened again.
  keepAliveTimeout: LONGER_THAN_THE_STUDY_MS,
  connect: /** @type {any} */ (
    (/** @type {unknown} */ _options, /** @type {(error: null, socket: Duplex) => void} */ callback) =>
      // undici does not go on with a request whose connection is there before its call has returned.
      queueMicrotask(() => callback(null, memorySocket))
  ),
});
