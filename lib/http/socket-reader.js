/** @import { Socket } from 'node:net' */

/**
 * Takes what a socket has received.
 *
 * @callback ReceivedBytes
 * @param {Buffer} bytes that are only valid during the call
 * @param {number} length how many of them have been received
 * @returns {void}
 */

/** One read of the system's brings hardly more, and TLS hands on 16 KiB at a time. Bytes. */
const READ_BUFFER_BYTES = 64 * 1024;

/** @type {WeakMap<Socket, { received: ReceivedBytes }>} */
const READERS = new WeakMap();

/** @returns {Buffer} for all connections of an event loop: each read of it is done with before the next one begins */
export function createReadBuffer() {
  return Buffer.allocUnsafeSlow(READ_BUFFER_BYTES);
}

/**
 * Opens a socket that reads into a buffer which it shares with others, so that a read costs no buffer and no stream.
 *
 * @param {Buffer} buffer
 * @param {(onread: { buffer: Buffer, callback: (length: number, bytes: Uint8Array) => boolean }) => Socket} open
 * @returns {Socket} whose bytes {@link readFrom} hands over; before, they are dropped
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
 * @param {Socket} socket of any kind: one that shares no buffer gives its bytes as `data`
 * @param {ReceivedBytes} received who takes its bytes from now on, in place of whoever took them before
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
