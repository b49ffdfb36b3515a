/** @import { Writable } from 'node:stream' */

/** A stream whose failures are asked for at the end instead of ending the process at once. */
export class Output {
  #stream;
  /** @type {Error | null} */
  #failure = null;
  /** @type {Promise<void>} */
  #written = Promise.resolve();

  /** @param {Writable} stream */
  constructor(stream) {
    this.#stream = stream;
    // A failed write tells its callback; the event, which says the same, would end the process without a listener.
    stream.on('error', () => {});
  }

  /**
   * @param {string} text
   * @returns {Promise<void>} once it is written, or cannot be: whoever has much to write waits for it
   */
  write(text) {
    this.#written = new Promise((resolve) => {
      this.#stream.write(text, (error) => {
        this.#failure ??= error ?? null;
        resolve();
      });
    });
    return this.#written;
  }

  /** @returns {Promise<NodeJS.ErrnoException | null>} what went wrong first, once everything is written */
  async failure() {
    await this.#written;
    return this.#failure;
  }
}
