const BYTE_VALUES = 256;
const BYTES_OF_64_BITS = 8;

/** Bytes between the stored prefixes of a block. */
const PREFIX_STEP = 64;

/**
 * A reflected 32-bit or 64-bit cyclic redundancy check whose register is inverted before and after, like those of S3.
 * Registers are pairs of unsigned 32-bit integers; with 32 bits, the upper one is always 0.
 *
 * CRCs are linear. The CRC of a view follows from two prefixes of its block, and the CRC of a concatenation follows
 * from the CRCs of both parts (Mark Adler, crc32_combine of zlib). Once the prefixes of a block are computed, the CRC
 * of any view takes a microsecond, whatever its length.
 */
export class Crc {
  #digits;
  /** Effect of a byte on an empty register: lower and upper halves. */
  #low = new Uint32Array(BYTE_VALUES);
  #high = new Uint32Array(BYTE_VALUES);
  /** Effect of 2^k zero bytes on a register, by k. @type {ZeroBytes[]} */
  #zeroBytes = [];

  /** @param {{ bits: 32 | 64, low: number, high: number }} polynomial the halves of its reflected form */
  constructor({ bits, low, high }) {
    this.#digits = bits / 8;
    for (let value = 0; value < BYTE_VALUES; value++) {
      let [lower, upper] = [value, 0];
      for (let bit = 0; bit < 8; bit++) {
        const isSet = lower & 1;
        lower = (lower >>> 1) | (upper << 31);
        upper >>>= 1;
        lower ^= isSet ? low : 0;
        upper ^= isSet ? high : 0;
      }
      this.#low[value] = lower;
      this.#high[value] = upper;
    }
  }

  /**
   * @param {Iterable<Uint8Array>} pieces of a text, in order
   * @returns {Buffer} its CRC, big-endian
   */
  of(pieces) {
    let length = 0;
    const register = { low: 0, high: 0 };
    for (const piece of pieces) {
      this.#run(register, piece, 0, piece.length);
      length += piece.length;
    }
    return this.finish(register, length);
  }

  /**
   * @param {Uint8Array} block
   * @returns {Prefixes} from which {@link append} computes the CRCs of the block's views
   */
  prefixesOf(block) {
    const count = Math.floor(block.length / PREFIX_STEP) + 1;
    const [low, high] = [new Uint32Array(count), new Uint32Array(count)];
    const register = { low: 0, high: 0 };
    for (let index = 1; index < count; index++) {
      this.#run(register, block, (index - 1) * PREFIX_STEP, index * PREFIX_STEP);
      low[index] = register.low;
      high[index] = register.high;
    }
    return { block, low, high };
  }

  /**
   * Appends a view of a block to a text.
   *
   * @param {Register} register of the text so far, initially 0
   * @param {Prefixes} prefixes of the block
   * @param {number} start
   * @param {number} end
   */
  append(register, prefixes, start, end) {
    const before = this.#prefix(prefixes, start);
    const whole = this.#prefix(prefixes, end);
    // The text so far takes the place of the bytes that precede the view in its block.
    before.low ^= register.low;
    before.high ^= register.high;
    this.#shift(before, end - start);
    register.low = before.low ^ whole.low;
    register.high = before.high ^ whole.high;
  }

  /**
   * Appends a text, given only its CRC and length.
   *
   * @param {Register} register of the text so far
   * @param {Buffer} crc from {@link finish}
   * @param {number} length of the appended text, in bytes
   */
  join(register, crc, length) {
    const appended = this.#ones();
    this.#shift(appended, length);
    const isLong = this.#digits === BYTES_OF_64_BITS;
    appended.low ^= ~crc.readUInt32BE(this.#digits - 4);
    appended.high ^= isLong ? ~crc.readUInt32BE(0) : 0;
    this.#shift(register, length);
    register.low = (register.low ^ appended.low) >>> 0;
    register.high = (register.high ^ appended.high) >>> 0;
  }

  /**
   * @param {Readonly<Register>} register of the complete text
   * @param {number} length in bytes
   * @returns {Buffer} its CRC, big-endian
   */
  finish(register, length) {
    const ones = this.#ones();
    this.#shift(ones, length);
    const bytes = Buffer.alloc(BYTES_OF_64_BITS);
    bytes.writeUInt32BE(~(register.high ^ ones.high) >>> 0, 0);
    bytes.writeUInt32BE(~(register.low ^ ones.low) >>> 0, 4);
    return bytes.subarray(BYTES_OF_64_BITS - this.#digits);
  }

  /** @returns {Register} the initial value */
  #ones() {
    return { low: 0xffffffff, high: this.#digits === BYTES_OF_64_BITS ? 0xffffffff : 0 };
  }

  /**
   * @param {Register} register updated in place
   * @param {Uint8Array} bytes
   * @param {number} start
   * @param {number} end
   */
  #run(register, bytes, start, end) {
    let { low, high } = register;
    for (let offset = start; offset < end; offset++) {
      const index = (low ^ bytes[offset]) & 0xff;
      low = ((low >>> 8) | (high << 24)) ^ this.#low[index];
      high = (high >>> 8) ^ this.#high[index];
    }
    register.low = low >>> 0;
    register.high = high >>> 0;
  }

  /**
   * @param {Prefixes} prefixes
   * @param {number} end
   * @returns {Register} of the block's bytes up to `end`
   */
  #prefix({ block, low, high }, end) {
    const index = Math.floor(end / PREFIX_STEP);
    const register = { low: low[index], high: high[index] };
    this.#run(register, block, index * PREFIX_STEP, end);
    return register;
  }

  /**
   * @param {Register} register updated in place
   * @param {number} count of zero bytes to append, a safe integer
   */
  #shift(register, count) {
    for (let left = count, k = 0; left > 0; left = Math.floor(left / 2), k++) {
      if (left % 2 === 1) {
        apply(this.#powerOf(k), register);
      }
    }
  }

  /**
   * @param {number} k
   * @returns {ZeroBytes} the effect of 2^k zero bytes
   */
  #powerOf(k) {
    let power = this.#zeroBytes[k];
    if (power === undefined) {
      power = k === 0 ? tabulate((register) => this.#zeroByte(register)) : squared(this.#powerOf(k - 1));
      this.#zeroBytes[k] = power;
    }
    return power;
  }

  /** @param {Register} register */
  #zeroByte(register) {
    this.#run(register, ZERO, 0, 1);
  }
}

const ZERO = new Uint8Array(1);

/**
 * @typedef {{ low: number, high: number }} Register
 *
 * @typedef {{ block: Uint8Array, low: Uint32Array, high: Uint32Array }} Prefixes a block, and the halves of the
 *   register after every PREFIX_STEP bytes
 *
 * @typedef {{ low: Uint32Array, high: Uint32Array }} ZeroBytes a linear map as a table: the image of each value of each
 *   byte of a register
 */

/**
 * @param {(register: Register) => void} map linear
 * @returns {ZeroBytes}
 */
function tabulate(map) {
  const [low, high] = [BYTES_OF_64_BITS, BYTES_OF_64_BITS].map((bytes) => new Uint32Array(bytes * BYTE_VALUES));
  for (let entry = 0; entry < low.length; entry++) {
    const value = entry % BYTE_VALUES;
    const shift = 8 * (Math.floor(entry / BYTE_VALUES) % 4);
    const isLow = entry < low.length / 2;
    const register = { low: isLow ? (value << shift) >>> 0 : 0, high: isLow ? 0 : (value << shift) >>> 0 };
    map(register);
    low[entry] = register.low;
    high[entry] = register.high;
  }
  return { low, high };
}

/** @param {ZeroBytes} map */
function squared(map) {
  return tabulate((register) => {
    apply(map, register);
    apply(map, register);
  });
}

/**
 * @param {ZeroBytes} map
 * @param {Register} register updated in place
 */
function apply(map, register) {
  let [low, high] = [0, 0];
  for (let byte = 0; byte < BYTES_OF_64_BITS; byte++) {
    const half = byte < 4 ? register.low : register.high;
    const entry = byte * BYTE_VALUES + ((half >>> (8 * (byte % 4))) & 0xff);
    low ^= map.low[entry];
    high ^= map.high[entry];
  }
  register.low = low >>> 0;
  register.high = high >>> 0;
}

/** CRC-32C (Castagnoli), RFC 3720, appendix B.4. */
export const CRC32C = new Crc({ bits: 32, low: 0x82f63b78, high: 0 });

/** CRC-64/NVME: NVM Express, NVM Command Set Specification. */
export const CRC64NVME = new Crc({ bits: 64, low: 0xac4bc9b5, high: 0x9a6c9329 });
