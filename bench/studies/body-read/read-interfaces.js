/**
 * @import { Readable } from 'node:stream'
 * @import { EchoSender } from './echo-sender.js'
 *
 * @callback ReadInterface reads a stream to its end and sends each record back, stopping whenever the sender is full
 * @param {Readable} stream of records, in object mode
 * @param {EchoSender} sender
 * @returns {Promise<void>}
 *
 * @typedef {{ done: boolean, value: any }} ReadResult
 */

/**
 * Two interfaces to the same buffer: `read()` returns the buffered data, or a promise of it.
 *
 * @type {Readonly<Record<'synchronous' | 'asynchronous', ReadInterface>>}
 */
export const READ_INTERFACES = { synchronous: readSynchronously, asynchronous: readAsynchronously };

/** @typedef {keyof typeof READ_INTERFACES} ReadInterfaceName */

/** @type {ReadInterface} */
function readSynchronously(stream, sender) {
  return new Promise((resolve, reject) => {
    let waits = false;
    const readWhatIsThere = () => {
      while (!sender.isFull) {
        const record = stream.read();
        if (record === null) {
          return;
        }
        sender.send(record);
      }
      waits = true;
      sender.room().then(goOn, reject);
    };
    const goOn = () => {
      waits = false;
      readWhatIsThere();
    };
    stream.on('readable', () => waits || readWhatIsThere());
    stream.once('end', resolve).once('error', reject);
  });
}

/** @type {ReadInterface} */
async function readAsynchronously(stream, sender) {
  const reader = new AsynchronousReader(stream);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return;
    }
    sender.send(value);
    if (sender.isFull) {
      await sender.room();
    }
  }
}

/** Works like the Streams standard's reader: each `read()` returns a promise, even for buffered data. */
class AsynchronousReader {
  #stream;
  /** @type {{ resolve: (result: ReadResult) => void, reject: (error: Error) => void } | null} */
  #waiting = null;

  /** @param {Readable} stream */
  constructor(stream) {
    this.#stream = stream;
    stream
      .on('readable', () => this.#settle())
      .once('end', () => this.#settle())
      .once('error', () => this.#settle());
  }

  /** @returns {Promise<ReadResult>} */
  read() {
    const value = this.#stream.read();
    if (value !== null) {
      return Promise.resolve({ done: false, value });
    }
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#settle();
    });
  }

  #settle() {
    if (this.#waiting === null) {
      return;
    }
    const { resolve, reject } = this.#waiting;
    const { errored, readableEnded } = this.#stream;
    const value = this.#stream.read();
    if (value === null && errored === null && !readableEnded) {
      return;
    }
    this.#waiting = null;
    if (value !== null) {
      resolve({ done: false, value });
    } else if (errored === null) {
      resolve({ done: true, value: null });
    } else {
      reject(errored);
    }
  }
}
