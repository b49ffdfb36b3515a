import { Client } from 'undici';
import { runBareClient } from './bare-client.js';

// The cost of another HTTP client alone: sends the direct client's requests with undici, with one Client per thread.
//
//     node bench/bare-undici.js <objects> <threads> <bytes>

const { S3_HOSTNAME, S3_PORT, S3_USE_SSL } = process.env;
const origin = `${S3_USE_SSL === '0' ? 'http' : 'https'}://${S3_HOSTNAME}:${S3_PORT}`;

class BareThread {
  #client = new Client(origin);
  /** @type {() => void} */
  #resolve = () => {};
  /** @type {(error: Error) => void} */
  #reject = () => {};

  /**
   * @param {string} method
   * @param {string} path
   * @param {Buffer | null} body
   * @returns {Promise<void>}
   */
  send(method, path, body) {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      const request = { method, path, body, reset: false };
      this.#client.dispatch(/** @type {any} */ (request), /** @type {any} */ (this));
    });
  }

  onConnect() {}

  onHeaders() {
    return true;
  }

  onData() {
    return true;
  }

  onComplete() {
    this.#resolve();
  }

  /** @param {Error} error */
  onError(error) {
    this.#reject(error);
  }

  close() {
    return this.#client.destroy();
  }
}

await runBareClient((threads) => Array.from({ length: threads }, () => new BareThread()));
