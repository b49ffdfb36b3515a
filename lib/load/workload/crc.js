const BYTE_VALUES = 256;
const BYTES = 8;

/** Bytes between the stored prefixes of a block. */
const PREFIX_STEP = 64;

/** The halves of the reflected polynomial (NVM Express, NVM Command Set Specification). */
const POLYNOMIAL = Object.freeze({ low: 0xac4bc9b5, high: 0x9a6c9329 });

/**
 * CRC-64/NVME: a reflected cyclic redundancy check whose register is inverted before and after. Registers are pairs of
 * unsigned 32-bit integers.
 *
 * CRCs are linear. The CRC of a view follows from two prefixes of its block, and the CRC of a concatenation follows
 * from the CRCs of both parts (Mark Adler, crc32_combine of zlib). Once the prefixes of a block are computed, the CRC
 * of any view takes a microsecond, whatever its length.
 *
 * @typedef {{ low: number, high: number }} Register
 *
 * @typedef {{ block: Uint8Array, low: Uint32Array, high: Uint32Array }} Prefixes a block, and the halves of the
 *   register after every PREFIX_STEP bytes
 *
 * @typedef {{ low: Uint32Array, high: Uint32Array }} ZeroBytes a linear map as a table: the image of each value of each
 *   byte of a register
 */

/** Effect of a byte on an empty register: lower and upper halves. */
const ofByte = { low: new Uint32Array(BYTE_VALUES), high: new Uint32Array(BYTE_VALUES) };
for (let value = 0; value < BYTE_VALUES; value++) {
  let [low, high] = [value, 0];
  for (let bit = 0; bit < 8; bit++) {
    const isSet = low & 1;
    low = (low >>> 1) | (high << 31);
    high >>>= 1;
    low ^= isSet ? POLYNOMIAL.low : 0;
    high ^= isSet ? POLYNOMIAL.high : 0;
  }
  ofByte.low[value] = low;
  ofByte.high[value] = high;
}

/** Effect of 2^k zero bytes on a register, by k. @type {ZeroBytes[]} */
const zeroBytes = [];

/**
 * @param {Uint8Array} bytes
 * @returns {Buffer} their CRC, big-endian
 */
export function crcOf(bytes) {
  const register = { low: 0, high: 0 };
  run(register, bytes, 0, bytes.length);
  return finish(register, bytes.length);
}

/**
 * @param {Uint8Array} block
 * @returns {Prefixes} from which {@link append} computes the CRCs of the block's views
 */
export function prefixesOf(block) {
  const count = Math.floor(block.length / PREFIX_STEP) + 1;
  const [low, high] = [new Uint32Array(count), new Uint32Array(count)];
  const register = { low: 0, high: 0 };
  for (let index = 1; index < count; index++) {
    run(register, block, (index - 1) * PREFIX_STEP, index * PREFIX_STEP);
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
export function append(register, prefixes, start, end) {
  const before = prefix(prefixes, start);
  const whole = prefix(prefixes, end);
  // The text so far takes the place of the bytes that precede the view in its block.
  before.low ^= register.low;
  before.high ^= register.high;
  shift(before, end - start);
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
export function join(register, crc, length) {
  const appended = shift({ low: ~0, high: ~0 }, length);
  shift(register, length);
  register.low ^= appended.low ^ ~crc.readUInt32BE(4);
  register.high ^= appended.high ^ ~crc.readUInt32BE(0);
}

/**
 * @param {Readonly<Register>} register of the complete text
 * @param {number} length in bytes
 * @returns {Buffer} its CRC, big-endian
 */
export function finish(register, length) {
  const ones = shift({ low: ~0, high: ~0 }, length);
  const bytes = Buffer.alloc(BYTES);
  bytes.writeInt32BE(~(register.high ^ ones.high), 0);
  bytes.writeInt32BE(~(register.low ^ ones.low), 4);
  return bytes;
}

/**
 * @param {Register} register updated in place
 * @param {Uint8Array} bytes
 * @param {number} start
 * @param {number} end
 */
function run(register, bytes, start, end) {
  let { low, high } = register;
  for (let offset = start; offset < end; offset++) {
    const index = (low ^ bytes[offset]) & 0xff;
    low = ((low >>> 8) | (high << 24)) ^ ofByte.low[index];
    high = (high >>> 8) ^ ofByte.high[index];
  }
  register.low = low;
  register.high = high;
}

/**
 * @param {Prefixes} prefixes
 * @param {number} end
 * @returns {Register} of the block's bytes up to `end`
 */
function prefix({ block, low, high }, end) {
  const index = Math.floor(end / PREFIX_STEP);
  const register = { low: low[index], high: high[index] };
  run(register, block, index * PREFIX_STEP, end);
  return register;
}

/**
 * @param {Register} register updated in place
 * @param {number} count of zero bytes to append, a safe integer
 */
function shift(register, count) {
  for (let left = count, k = 0; left > 0; left = Math.floor(left / 2), k++) {
    if (left % 2 === 1) {
      apply(powerOf(k), register);
    }
  }
  return register;
}

/**
 * @param {number} k
 * @returns {ZeroBytes} the effect of 2^k zero bytes
 */
function powerOf(k) {
  zeroBytes[k] ??= tabulate((register) => {
    if (k === 0) {
      run(register, ZERO, 0, 1);
    } else {
      apply(powerOf(k - 1), register);
      apply(powerOf(k - 1), register);
    }
  });
  return zeroBytes[k];
}

const ZERO = new Uint8Array(1);

/**
 * @param {(register: Register) => void} map linear
 * @returns {ZeroBytes}
 */
function tabulate(map) {
  const [low, high] = [new Uint32Array(BYTES * BYTE_VALUES), new Uint32Array(BYTES * BYTE_VALUES)];
  for (let entry = 0; entry < low.length; entry++) {
    const value = (entry % BYTE_VALUES) << (8 * (Math.floor(entry / BYTE_VALUES) % 4));
    const register = entry < low.length / 2 ? { low: value, high: 0 } : { low: 0, high: value };
    map(register);
    low[entry] = register.low;
    high[entry] = register.high;
  }
  return { low, high };
}

/**
 * @param {ZeroBytes} map
 * @param {Register} register updated in place
 */
function apply(map, register) {
  let [low, high] = [0, 0];
  for (let byte = 0; byte < BYTES; byte++) {
    const half = byte < 4 ? register.low : register.high;
    const entry = byte * BYTE_VALUES + ((half >>> (8 * (byte % 4))) & 0xff);
    low ^= map.low[entry];
    high ^= map.high[entry];
  }
  register.low = low;
  register.high = high;
}
