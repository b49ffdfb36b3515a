import { CRC32C, CRC64NVME } from './crc.js';

/**
 * @import { ChecksumName } from '../model/config.js'
 * @import { Crc, Prefixes, Register } from './crc.js'
 * @import { Payload } from './payload.js'
 */

/**
 * How S3 calls a checksum, and what it makes of those of the parts of an object: that of all of its bytes, or one of the
 * checksums of its parts.
 *
 * @type {Readonly<Record<ChecksumName, { crc: Crc, algorithm: string, type: 'FULL_OBJECT' | 'COMPOSITE' }>>}
 */
export const CHECKSUMS = Object.freeze({
  crc64nvme: { crc: CRC64NVME, algorithm: 'CRC64NVME', type: 'FULL_OBJECT' },
  crc32c: { crc: CRC32C, algorithm: 'CRC32C', type: 'COMPOSITE' },
});

/**
 * The checksums of a run's objects, in the terms of the S3 API. A payload consists of views of a block, and the checksum of a
 * view follows from prefixes of the block: no byte is gone over when an object is written.
 */
export class PayloadChecksums {
  #crc;
  #member;
  #type;
  #payload;
  #isWrong;
  /** By the memory of the block. @type {WeakMap<ArrayBufferLike, Prefixes>} */
  #prefixes = new WeakMap();

  /**
   * @param {ChecksumName} name
   * @param {Payload} payload
   * @param {boolean} [isWrong] whether they are to be wrong ones, which show whether a store compares them
   */
  constructor(name, payload, isWrong = false) {
    const { crc, algorithm, type } = CHECKSUMS[name];
    this.name = name;
    this.#crc = crc;
    this.#member = `Checksum${algorithm}`;
    this.#type = type;
    this.#payload = payload;
    this.#isWrong = isWrong;
    /** Further input of the request that begins an object in parts. */
    this.creation = Object.freeze({ ChecksumAlgorithm: algorithm, ChecksumType: type });
  }

  /** @returns {PayloadChecksums} of the same payload, none of which is right */
  wrong() {
    return new PayloadChecksums(this.name, this.#payload, true);
  }

  /**
   * Makes what all of them follow from, so that no operation has to wait for it.
   *
   * @param {number} index the object
   */
  prepare(index) {
    this.inputOf(index, 0);
  }

  /**
   * @param {number} index the object
   * @param {number} size bytes of it, or of a part of it
   * @param {number} [position] where in the object the part begins, in bytes
   * @returns {Record<string, string>} further input of the request that sends it: the checksum, as base64
   */
  inputOf(index, size, position = 0) {
    return { [this.#member]: this.#checksumOf(index, size, position) };
  }

  /**
   * The checksum of the whole follows from those of the parts: to go over the views of an object of a tebibyte would hold everything
   * else up for a second.
   *
   * @param {readonly Readonly<Record<string, any>>[]} parts in their order, each with what {@link inputOf} gave for it
   * @param {number} size bytes of the object
   * @param {number} partSize bytes of each part but the last one, which has the rest
   * @returns {Record<string, string>} further input of the request that completes the object
   */
  completionOf(parts, size, partSize) {
    if (this.#type !== 'FULL_OBJECT') {
      return {};
    }
    /** @type {Register} */
    const register = { low: 0, high: 0 };
    parts.forEach((part, place) => {
      const length = Math.min(partSize, size - place * partSize);
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
