/** @import { ReadResult } from './drains.js' */

/**
 * The minimum that a WHATWG reader must do for buffered chunks: a queue, and a promise for each read. Node's own reader creates
 * native promises internally. With this reader, only the kind of promise differs.
 *
 * @template {PromiseLike<ReadResult>} Promised
 */
export class PromiseReader {
  #chunks;
  #promised;
  #next = 0;

  /**
   * @param {readonly Uint8Array[]} chunks
   * @param {(result: ReadResult) => Promised} promised creates a resolved promise
   */
  constructor(chunks, promised) {
    this.#chunks = chunks;
    this.#promised = promised;
  }

  /** @returns {Promised} */
  read() {
    if (this.#next === this.#chunks.length) {
      return this.#promised({ done: true });
    }
    const value = this.#chunks[this.#next];
    this.#next += 1;
    return this.#promised({ done: false, value });
  }
}
