/** @import { Socket } from 'node:net' */

/**
 * @callback ReceivedBytes
 * @param {Buffer} bytes valid only during the call
 * @param {number} length number of bytes received
 * @returns {void}
 */

/** One read from the system rarely returns more, and TLS passes on 16 KiB at a time. */
const READ_BUFFER_BYTES = 64 * 1024;

/** @type {WeakMap<Socket, { received: ReceivedBytes }>} */
const READERS = new WeakMap();

/** @returns {Buffer} to be shared by all connections of an event loop: each read is processed before the next begins */
export function createReadBuffer() {
  return Buffer.allocUnsafeSlow(READ_BUFFER_BYTES);
}

/**
 * Opens a socket that reads into a shared buffer, so that reading allocates no buffers and uses no stream.
 *
 * @param {Buffer} buffer
 * @param {(onread: { buffer: Buffer, callback: (length: number, bytes: Uint8Array) => boolean }) => Socket} open
 * @returns {Socket} its bytes go to the receiver given to {@link readFrom}; bytes received before that call are dropped
 */
export function openSharing(buffer, open) {
  /** @type {{ received: ReceivedBytes }} */
  const reader = { received() {} };
  const socket = open({
    buffer,
    callback(length) {
      reader.received(buffer, length);
      return true;
    },
  });
  READERS.set(socket, reader);
  return socket;
}

/**
 * @param {Socket} socket with or without a shared buffer
 * @param {ReceivedBytes} received takes the bytes from now on, replacing any earlier receiver
 */
export function readFrom(socket, received) {
  const reader = READERS.get(socket);
  if (reader === undefined) {
    socket
      .removeAllListeners('data')
      .on('data', (/** @type {Buffer} */ chunk) => received(chunk, chunk.length))
      .resume();
  } else {
    reader.received = received;
  }
}
