import { Duplex } from 'node:stream';
import { Client } from 'undici';

/** More than the chunks of any pipe in the study. */
const MAX_CHUNKS = 1024;

const LONGER_THAN_THE_STUDY_MS = 3_600_000;

/**
 * A socket without a network. It answers each request with the head of a response, and the body is pushed into it. So
 * only a client's handling of a response is measured.
 */
export class MemorySocket extends Duplex {
  contentLength = 0;

  constructor() {
    // In byte mode, undici would read several chunks joined into one.
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
 * Puts what it receives into a buffer, as Node does for a socket opened with `onread`. A chunk that is already there is
 * not copied: copying is the system's work, and the other socket is also spared it.
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

/** Its requests are all answered by the socket in memory. */
export const memoryClient = new Client(MEMORY_ORIGIN, {
  headersTimeout: 0,
  bodyTimeout: 0,
  // If undici closed the idle memory socket during other measurements, it could not be reopened.
  keepAliveTimeout: LONGER_THAN_THE_STUDY_MS,
  connect: /** @type {any} */ (
    (/** @type {unknown} */ _options, /** @type {(error: null, socket: Duplex) => void} */ callback) =>
      // undici does not continue a request whose connection exists before its call has returned.
      queueMicrotask(() => callback(null, memorySocket))
  ),
});
