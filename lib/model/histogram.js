import { build, decodeFromCompressedBase64, encodeIntoCompressedBase64 } from 'hdr-histogram-js';
import { inflateSync } from 'node:zlib';
import { InputError } from './input-bounds.js';

/**
 * @import { Histogram, JsHistogram } from 'hdr-histogram-js'
 * @import { LatencySummary, StageLatency } from './result.js'
 */

/** How a result says what its histograms are. */
export const HISTOGRAM_FORMAT = Object.freeze({
  encoding: /** @type {const} */ ('HdrHistogram V2, compressed, base64'),
  unit: /** @type {const} */ ('us'),
});

// The compressed HdrHistogram V2 encoding: 4 bytes of cookie, 4 of length, and deflated: cookie, payload length,
// normalizing index offset, significant digits (4 bytes each), lowest and highest value and conversion ratio (8 each), and
// the counts as ZigZag LEB128 words of up to 9 bytes, a negative word standing for so many counts of zero.
// (https://github.com/HdrHistogram/HdrHistogram, AbstractHistogram.encodeIntoCompressedByteBuffer)

/** Of what a stage has latencies. */
export const LATENCIES = /** @type {const} */ (['operations', 'attempts', 'firstByte', 'startDelay', 'parts']);

/** @type {Readonly<StageLatency>} */
export const UNKNOWN_LATENCY = Object.freeze({
  unit: 'ms',
  operations: null,
  attempts: null,
  firstByte: null,
  startDelay: null,
  histogram: { ...HISTOGRAM_FORMAT, operations: null, attempts: null, firstByte: null, startDelay: null },
});

/** Bits of a count. The sum over many hosts may not fit into 32. */
const COUNT_BITS = 64;

/** Highest value that a histogram of ours holds, in µs; a sum grows where another one holds more. */
const MAX_LATENCY_US = 3_600_000_000;

const MICROSECONDS = 1000;

const COMPRESSED_HEADER = 8;
const HEADER = 40;
const PAYLOAD_LENGTH_AT = 4;
const DIGITS_AT = 12;
const MIN_VALUE_AT = 16;
const MAX_VALUE_AT = 24;
const MAX_WORD_BYTES = 9;

const MAX_DIGITS = 3;
const MAX_VALUE = 2n ** 52n;

/** Counts of the largest histogram that the limits above allow: 1,024 for each power of two. */
const MAX_COUNTS = 1024 * 54;

/** Bytes. */
const MAX_FILE = HEADER + MAX_COUNTS * MAX_WORD_BYTES;

/**
 * Decodes a histogram that may be damaged or made up to do harm: it is held against bounds before the library sees it,
 * which would inflate, allocate and loop without any.
 *
 * @param {string} base64 the compressed HdrHistogram V2 encoding
 * @returns {Histogram}
 * @throws {unknown} where it is not such a histogram, or larger than any of ours; the library throws strings, too
 */
export function decodeHistogram(base64) {
  checkHistogram(base64);
  return decodeFromCompressedBase64(base64, COUNT_BITS);
}

/**
 * @param {string} base64
 * @throws {Error} where it is not such a histogram, or larger than any of ours
 */
function checkHistogram(base64) {
  checkBounds(inflated(base64));
}

/**
 * @param {string} base64
 * @returns {Buffer}
 */
function inflated(base64) {
  const compressed = Buffer.from(base64, 'base64').subarray(COMPRESSED_HEADER);
  return inflateSync(compressed, { maxOutputLength: MAX_FILE });
}

/**
 * The values of a histogram, one after the other: a tenth of the time that decoding it takes.
 *
 * @param {string} base64 the compressed HdrHistogram V2 encoding
 * @returns {Generator<[value: number, count: number], void, undefined>} µs, the least that count as one, in ascending order
 * @throws {Error} where it is not such a histogram, or larger than any of ours
 */
export function* valuesIn(base64) {
  const encoded = inflated(base64);
  checkBounds(encoded);
  const half = placesOf(encoded.readUInt32BE(DIGITS_AT)) / 2;
  let index = 0;
  for (const word of wordsIn(encoded.subarray(HEADER))) {
    if (word % 2 === 1) {
      index += (word + 1) / 2;
      continue;
    }
    if (word > 0) {
      const bucket = Math.max(Math.floor(index / half) - 1, 0);
      yield [(index - bucket * half) * 2 ** bucket, word / 2];
    }
    index += 1;
  }
}

/**
 * As decodeHistogram() without decoding it, which takes ten times as long.
 *
 * @param {string} base64
 * @returns {boolean} whether it is such a histogram
 */
export function isHistogram(base64) {
  try {
    checkHistogram(base64);
    return true;
  } catch {
    return false;
  }
}

/** @param {Buffer} encoded */
function checkBounds(encoded) {
  const digits = encoded.readUInt32BE(DIGITS_AT);
  const lowest = encoded.readBigInt64BE(MIN_VALUE_AT);
  const highest = encoded.readBigInt64BE(MAX_VALUE_AT);
  const payload = encoded.subarray(HEADER);
  const isWithin =
    digits <= MAX_DIGITS &&
    lowest === 1n &&
    highest >= 2n &&
    highest <= MAX_VALUE &&
    encoded.readUInt32BE(PAYLOAD_LENGTH_AT) === payload.length;
  const { places, total } = contentOf(payload);
  if (!isWithin || places > MAX_COUNTS || total > Number.MAX_SAFE_INTEGER) {
    throw new RangeError('expected a histogram of whole microseconds with at most three digits and counts below 2^53');
  }
}

/**
 * @param {Uint8Array} payload
 * @returns {{ places: number, total: number }} how many counts the words encode, and their sum
 */
function contentOf(payload) {
  let places = 0;
  let total = 0;
  for (const word of wordsIn(payload)) {
    places += word % 2 === 1 ? (word + 1) / 2 : 1;
    total += word % 2 === 1 ? 0 : word / 2;
  }
  return { places, total };
}

/**
 * @param {Uint8Array} payload
 * @returns {Generator<number, void, undefined>} its words, not yet out of ZigZag: odd ones stand for negative numbers
 */
function* wordsIn(payload) {
  let word = 0;
  let length = 0;
  for (const byte of payload) {
    // The ninth byte has no bit that says whether another one follows.
    const isLast = length === MAX_WORD_BYTES - 1 || byte < 0x80;
    word += (length === MAX_WORD_BYTES - 1 ? byte : byte % 0x80) * 2 ** (7 * length);
    length += 1;
    if (isLast) {
      yield word;
      word = 0;
      length = 0;
    }
  }
}

/**
 * @param {string} base64 as of {@link decodeHistogram}, which says what is thrown
 * @returns {{ values: number[], counts: number[] }} the values that occurred, in µs and in ascending order, each the largest
 *   of those that the histogram does not tell apart, and how often they did
 */
export function valueCounts(base64) {
  return valuesOf(decodeHistogram(base64));
}

/**
 * The values follow from their places, as in {@link valuesIn}: the library takes ten times as long to work out each of them.
 *
 * @param {Histogram} given
 * @returns {{ values: number[], counts: number[] }} as those of {@link valueCounts}
 */
export function valuesOf(given) {
  const histogram = /** @type {JsHistogram} */ (given);
  const half = placesOf(histogram.numberOfSignificantValueDigits) / 2;
  const values = [];
  const counts = [];
  for (let index = 0, left = histogram.totalCount; left > 0 && index < histogram.countsArrayLength; index += 1) {
    const count = histogram.getCountAtIndex(index);
    if (count > 0) {
      const bucket = Math.max(Math.floor(index / half) - 1, 0);
      values.push((index - bucket * half + 1) * 2 ** bucket - 1);
      counts.push(count);
      left -= count;
    }
  }
  return { values, counts };
}

/**
 * @param {number} digits that values have
 * @returns {number} counts of the first bucket. Each of the others has half of these: the first is twice as fine as it would have
 *   to be
 */
function placesOf(digits) {
  return 2 ** Math.ceil(Math.log2(2 * 10 ** digits));
}

/** The sum of histograms of any hosts, workers, or seconds. */
export class HistogramSum {
  #sum = build({ bitBucketSize: COUNT_BITS, autoResize: true, highestTrackableValue: MAX_LATENCY_US });

  /**
   * @param {Histogram} histogram of µs
   * @throws {InputError} if the sum is too large to be exact
   */
  add(histogram) {
    this.#checkRoomFor(histogram.totalCount);
    this.#sum.add(histogram);
  }

  /** @param {HistogramSum} other */
  addSum(other) {
    this.add(other.#sum);
  }

  /**
   * Adds a histogram without decoding it as a whole, which takes longer than all else where there are many small ones.
   *
   * @param {string} base64 the compressed HdrHistogram V2 encoding, of µs
   * @throws {Error} where it is not such a histogram, or larger than any of ours
   */
  addEncoded(base64) {
    for (const [value, count] of valuesIn(base64)) {
      this.#checkRoomFor(count);
      this.#sum.recordValueWithCount(value, count);
    }
  }

  /** @param {number} count of values */
  #checkRoomFor(count) {
    if (this.count + count > Number.MAX_SAFE_INTEGER) {
      throw new InputError('the histograms together hold 2^53 latencies or more, which no hosts can measure');
    }
  }

  get count() {
    return this.#sum.totalCount;
  }

  /**
   * @param {number} percentile 0 to 100
   * @returns {number} ms, within 0.1%
   */
  at(percentile) {
    return this.#sum.getValueAtPercentile(percentile) / MICROSECONDS;
  }

  /** @returns {string} the compressed HdrHistogram V2 encoding, in base64 */
  encode() {
    return encodeIntoCompressedBase64(this.#sum);
  }

  /** @returns {LatencySummary | null} in ms, all of it within 0.1%; null where there is no value */
  summary() {
    if (this.count === 0) {
      return null;
    }
    const at = (/** @type {number} */ percentile) => this.at(percentile);
    return {
      count: this.count,
      minimum: at(0),
      mean: this.#sum.mean / MICROSECONDS,
      p50: at(50),
      p90: at(90),
      p99: at(99),
      p999: at(99.9),
      maximum: at(100),
    };
  }
}
