import { append, finish, join, prefixesOf } from './crc.js';

/**
 * @import { Prefixes, Register } from './crc.js'
 * @import { Payload } from './payload.js'
 */

const TYPE = 'FULL_OBJECT';

/**
 * Computes the CRC-64/NVME of a run's objects as parameters of S3 calls. A payload consists of views of a block, and
 * the checksum of a view follows from prefixes of the block, so that a write scans no bytes.
 */
export class PayloadChecksums {
  #payload;
  #isWrong;
  /** Keyed by the memory of the block. @type {WeakMap<ArrayBufferLike, Prefixes>} */
  #prefixes = new WeakMap();

  /** Additional input for the request that creates a multipart upload. */
  creation = Object.freeze({ ChecksumAlgorithm: 'CRC64NVME', ChecksumType: TYPE });

  /**
   * @param {Payload} payload
   * @param {boolean} [isWrong] whether to compute wrong checksums, to test whether a store verifies them
   */
  constructor(payload, isWrong = false) {
    this.#payload = payload;
    this.#isWrong = isWrong;
  }

  /** For testing whether a store verifies checksums. @returns {PayloadChecksums} wrong checksums of the same payload */
  wrong() {
    return new PayloadChecksums(this.#payload, true);
  }

  /**
   * @param {number} index of the object
   * @param {number} size bytes of the object, or of a part
   * @param {number} [position] offset of the part in the object, in bytes
   * @returns {{ ChecksumCRC64NVME: string }} additional input for the request that sends it: the checksum, as base64
   */
  inputOf(index, size, position = 0) {
    const body = this.#payload.body(index, size, position);
    /** @type {Register} */
    const register = { low: 0, high: 0 };
    for (const view of Buffer.isBuffer(body) ? [body] : body) {
      append(register, this.#prefixesOf(view), view.byteOffset, view.byteOffset + view.length);
    }
    const checksum = finish(register, size);
    checksum[0] ^= Number(this.#isWrong);
    return { ChecksumCRC64NVME: checksum.toString('base64') };
  }

  /**
   * Combines the checksums of the parts. Computing the checksum of a 1 TiB object from its views would block the event
   * loop for a second.
   *
   * @param {readonly Readonly<Record<string, any>>[]} parts in order, each with the result of {@link inputOf}
   * @param {number} size bytes of the object
   * @param {number} partSize bytes of each part except the last, which has the rest
   * @returns {Record<string, string>} additional input for the request that completes the object
   */
  completionOf(parts, size, partSize) {
    /** @type {Register} */
    const register = { low: 0, high: 0 };
    parts.forEach(({ ChecksumCRC64NVME: checksum }, index) => {
      join(register, Buffer.from(checksum, 'base64'), Math.min(partSize, size - index * partSize));
    });
    return { ChecksumCRC64NVME: finish(register, size).toString('base64'), ChecksumType: TYPE };
  }

  /** @param {Buffer} view */
  #prefixesOf({ buffer }) {
    let prefixes = this.#prefixes.get(buffer);
    if (prefixes === undefined) {
      prefixes = prefixesOf(new Uint8Array(buffer));
      this.#prefixes.set(buffer, prefixes);
    }
    return prefixes;
  }
}
