import { Duplex } from 'node:stream';
import { Client } from 'undici';

/** More chunks than any pipe in the study has. */
const MAX_CHUNKS = 1024;

const LONGER_THAN_THE_STUDY_MS = 3_600_000;

/**
 * A socket without a network, for measuring only a client's handling of a response. It answers each request with the head of a
 * response. The body is then pushed into it.
 */
export class MemorySocket extends Duplex {
  contentLength = 0;

  constructor() {
    // In byte mode, undici would read several chunks as one.
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
 * Receives into a buffer, as Node's sockets do with `onread`. A chunk that is already in the buffer is not copied, because
 * copying would be the system's work, which the other socket does not do either.
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

/** Sends all its requests to the socket in memory. */
export const memoryClient = new Client(MEMORY_ORIGIN, {
  headersTimeout: 0,
  bodyTimeout: 0,
  // If undici closed the idle memory socket during other measurements, it could not be reopened.
  keepAliveTimeout: LONGER_THAN_THE_STUDY_MS,
  connect: /** @type {any} */ (
    (/** @type {unknown} */ _options, /** @type {(error: null, socket: Duplex) => void} */ callback) =>
      // undici does not continue a request if the connection opens before `connect` returns.
      queueMicrotask(() => callback(null, memorySocket))
  ),
});
