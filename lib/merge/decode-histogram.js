import { decodeFromCompressedBase64 } from 'hdr-histogram-js';
import { inflateSync } from 'node:zlib';

/** @import { Histogram } from 'hdr-histogram-js' */

// The compressed HdrHistogram V2 encoding: 4 bytes of cookie, 4 of length, and deflated: cookie, payload length,
// normalizing index offset, significant digits (4 bytes each), lowest and highest value and conversion ratio (8 each), and
// the counts as ZigZag LEB128 words of up to 9 bytes, a negative word standing for so many counts of zero.
// (https://github.com/HdrHistogram/HdrHistogram, AbstractHistogram.encodeIntoCompressedByteBuffer)

/** Bits of a count. The sum over many hosts may not fit into 32. */
export const COUNT_BITS = 64;

const COMPRESSED_HEADER = 8;
const HEADER = 40;
const PAYLOAD_LENGTH_AT = 4;
const DIGITS_AT = 12;
const LOWEST_AT = 16;
const HIGHEST_AT = 24;
const LONGEST_WORD = 9;

const MOST_DIGITS = 3;
const HIGHEST_VALUE = 2n ** 52n;

/** Counts of the largest histogram that the limits above allow: 1,024 for each power of two. */
const MOST_COUNTS = 1024 * 54;

/** Bytes. */
const LARGEST = HEADER + MOST_COUNTS * LONGEST_WORD;

/**
 * Decodes a histogram that may be damaged or made up to do harm: it is held against bounds before the library sees it,
 * which would inflate, allocate and loop without any.
 *
 * @param {string} base64 the compressed HdrHistogram V2 encoding
 * @returns {Histogram}
 * @throws {unknown} where it is not such a histogram, or larger than any of ours; the library throws strings, too
 */
export function decodeHistogram(base64) {
  const compressed = Buffer.from(base64, 'base64').subarray(COMPRESSED_HEADER);
  checkBounds(inflateSync(compressed, { maxOutputLength: LARGEST }));
  return decodeFromCompressedBase64(base64, COUNT_BITS);
}

/** @param {Buffer} encoded */
function checkBounds(encoded) {
  const digits = encoded.readUInt32BE(DIGITS_AT);
  const lowest = encoded.readBigInt64BE(LOWEST_AT);
  const highest = encoded.readBigInt64BE(HIGHEST_AT);
  const payload = encoded.subarray(HEADER);
  const isWithin =
    digits <= MOST_DIGITS &&
    lowest === 1n &&
    highest >= 2n &&
    highest <= HIGHEST_VALUE &&
    encoded.readUInt32BE(PAYLOAD_LENGTH_AT) === payload.length;
  if (!isWithin || countsIn(payload) > MOST_COUNTS) {
    throw new RangeError('expected a histogram of whole microseconds with three digits at most');
  }
}

/**
 * @param {Uint8Array} payload
 * @returns {number} how many counts the words stand for
 */
function countsIn(payload) {
  let counts = 0;
  let word = 0;
  let length = 0;
  for (const byte of payload) {
    // The ninth byte has no bit that says whether another one follows.
    const isLast = length === LONGEST_WORD - 1 || byte < 0x80;
    word += (byte % 0x80) * 2 ** (7 * length);
    length += 1;
    if (isLast) {
      counts += word % 2 === 1 ? (word + 1) / 2 : 1;
      word = 0;
      length = 0;
    }
  }
  return counts;
}
