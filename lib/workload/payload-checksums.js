import { CRC32C, CRC64NVME } from './crc.js';

/**
 * @import { ChecksumName } from '../model/config.js'
 * @import { Crc, Prefixes, Register } from './crc.js'
 * @import { Payload } from './payload.js'
 */

/**
 * The checksums, with S3's names. For a multipart object, a FULL_OBJECT checksum covers all bytes of the object, and a
 * COMPOSITE checksum covers the checksums of its parts.
 *
 * @type {Readonly<Record<ChecksumName, { crc: Crc, algorithm: string, type: 'FULL_OBJECT' | 'COMPOSITE' }>>}
 */
export const CHECKSUMS = Object.freeze({
  crc64nvme: { crc: CRC64NVME, algorithm: 'CRC64NVME', type: 'FULL_OBJECT' },
  crc32c: { crc: CRC32C, algorithm: 'CRC32C', type: 'COMPOSITE' },
});

/**
 * Computes the checksums of a run's objects as parameters of S3 calls. A payload consists of views of a block, and the
 * checksum of a view follows from prefixes of the block, so that a write scans no bytes.
 */
export class PayloadChecksums {
  #crc;
  #member;
  #type;
  #payload;
  #isWrong;
  /** Keyed by the memory of the block. @type {WeakMap<ArrayBufferLike, Prefixes>} */
  #prefixes = new WeakMap();

  /**
   * @param {ChecksumName} name
   * @param {Payload} payload
   * @param {boolean} [isWrong] whether to compute wrong checksums, to test whether a store verifies them
   */
  constructor(name, payload, isWrong = false) {
    const { crc, algorithm, type } = CHECKSUMS[name];
    this.name = name;
    this.#crc = crc;
    this.#member = `Checksum${algorithm}`;
    this.#type = type;
    this.#payload = payload;
    this.#isWrong = isWrong;
    /** Additional input for the request that creates a multipart upload. */
    this.creation = Object.freeze({ ChecksumAlgorithm: algorithm, ChecksumType: type });
  }

  /** For testing whether a store verifies checksums. @returns {PayloadChecksums} wrong checksums of the same payload */
  wrong() {
    return new PayloadChecksums(this.name, this.#payload, true);
  }

  /** Computes the shared prefixes in advance, so that no operation waits for them. @param {number} index */
  prepare(index) {
    this.inputOf(index, 0);
  }

  /**
   * @param {number} index of the object
   * @param {number} size bytes of the object, or of a part
   * @param {number} [position] offset of the part in the object, in bytes
   * @returns {Record<string, string>} additional input for the request that sends it: the checksum, as base64
   */
  inputOf(index, size, position = 0) {
    return { [this.#member]: this.#checksumOf(index, size, position) };
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
    if (this.#type !== 'FULL_OBJECT') {
      return {};
    }
    /** @type {Register} */
    const register = { low: 0, high: 0 };
    parts.forEach((part, index) => {
      const length = Math.min(partSize, size - index * partSize);
      this.#crc.join(register, Buffer.from(part[this.#member], 'base64'), length);
    });
    return { [this.#member]: this.#crc.finish(register, size).toString('base64'), ChecksumType: this.#type };
  }

  /**
   * @param {number} index
   * @param {number} size
   * @param {number} position
   */
  #checksumOf(index, size, position) {
    const body = this.#payload.body(index, size, position);
    /** @type {Register} */
    const register = { low: 0, high: 0 };
    for (const view of Buffer.isBuffer(body) ? [body] : body) {
      this.#crc.append(register, this.#prefixesOf(view), view.byteOffset, view.byteOffset + view.length);
    }
    const checksum = this.#crc.finish(register, size);
    if (this.#isWrong) {
      checksum[0] ^= 1;
    }
    return checksum.toString('base64');
  }

  /** @param {Buffer} view */
  #prefixesOf({ buffer }) {
    let prefixes = this.#prefixes.get(buffer);
    if (prefixes === undefined) {
      prefixes = this.#crc.prefixesOf(new Uint8Array(buffer));
      this.#prefixes.set(buffer, prefixes);
    }
    return prefixes;
  }
}
