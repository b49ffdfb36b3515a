/** @import { WebSocket } from 'ws' */

/** Bytes that may wait in this process to be sent back before the reader has to stop. */
const MAX_WAITING = 16 * 1024;

/** Sends timestamps back over a WebSocket, and says when it is full. */
export class EchoSender {
  #socket;

  /** @param {WebSocket} socket open */
  constructor(socket) {
    this.#socket = socket;
  }

  /** Whether the next timestamp has to wait. */
  get isFull() {
    return this.#socket.bufferedAmount > MAX_WAITING;
  }

  /** @param {Buffer} record */
  send(record) {
    this.#socket.send(record);
  }

  /**
   * A ping is sent behind all that waits: once it has gone out, all else has.
   *
   * @returns {Promise<void>} rejects where the connection ends
   */
  room() {
    return new Promise((resolve, reject) => {
      this.#socket.ping('', true, (error) => (error ? reject(error) : resolve()));
    });
  }
}
