import { createHash, createHmac } from 'node:crypto';

/** SHA-256, or HMAC-SHA-256 if a secret is given, with the interface that SignatureV4 expects. */
export class NodeSha256 {
  #hash;

  /** @param {string | ArrayBuffer | ArrayBufferView} [secret] */
  constructor(secret) {
    this.#hash =
      secret === undefined ? createHash('sha256') : createHmac('sha256', /** @type {string | Buffer} */ (secret));
  }

  /** @param {Uint8Array} data */
  update(data) {
    this.#hash.update(data);
  }

  /** @returns {Promise<Uint8Array>} */
  digest() {
    return Promise.resolve(this.#hash.digest());
  }

  reset() {
    throw new Error('SignatureV4 creates a new hash each time and never resets one.');
  }
}
