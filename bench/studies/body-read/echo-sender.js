/** @import { WebSocket } from 'ws' */

/** Bytes that can wait to be sent back before the reader must stop. */
const MAX_WAITING = 16 * 1024;

export class EchoSender {
  #socket;

  /** @param {WebSocket} socket open */
  constructor(socket) {
    this.#socket = socket;
  }

  get isFull() {
    return this.#socket.bufferedAmount > MAX_WAITING;
  }

  /** @param {Buffer} record */
  send(record) {
    this.#socket.send(record);
  }

  /**
   * A ping is queued after all waiting data, so everything else has been sent once the ping is sent.
   *
   * @returns {Promise<void>} rejects if the connection ends
   */
  room() {
    return new Promise((resolve, reject) => {
      this.#socket.ping('', true, (error) => (error ? reject(error) : resolve()));
    });
  }
}
