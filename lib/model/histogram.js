import { deflateSync, inflateSync } from 'node:zlib';
import { InputError } from './input-bounds.js';

/** @import { LatencySummary, StageLatency } from './result.js' */

/** How a result says what its histograms are. */
export const HISTOGRAM_FORMAT = Object.freeze({
  encoding: /** @type {const} */ ('HdrHistogram V2, compressed, base64'),
  unit: /** @type {const} */ ('us'),
});

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

/** Longest latency that is told apart: an hour, in µs. Longer ones are counted as that. */
const MAX_VALUE = 3_600_000_000;

const MICROSECONDS = 1000;

// An HdrHistogram of three significant digits: the first 2,048 values have a count each, and each further power of two has
// 1,024 counts. (https://github.com/HdrHistogram/HdrHistogram)
const DIGITS = 3;
const HALF_MAGNITUDE = 10;
const HALF = 2 ** HALF_MAGNITUDE;

/** The highest value that a histogram may say it holds, and the counts up to there. */
const MAX_HIGHEST = 2n ** 52n;
const MAX_COUNTS = 44 * HALF;

// The compressed V2 encoding: 4 bytes of cookie, 4 of length, and deflated: cookie, payload length, normalizing index
// offset, significant digits (4 bytes each), lowest and highest value and conversion ratio (8 each), and the counts as
// ZigZag LEB128 words of up to 9 bytes, a negative word standing for so many counts of zero. (The same,
// AbstractHistogram.encodeIntoCompressedByteBuffer)
const COOKIE = 0x1c849313;
const COMPRESSED_COOKIE = 0x1c849314;
const COMPRESSED_HEADER = 8;
const HEADER = 40;
const PAYLOAD_LENGTH_AT = 4;
const DIGITS_AT = 12;
const LOWEST_AT = 16;
const HIGHEST_AT = 24;
const RATIO_AT = 32;
const MAX_WORD_BYTES = 9;

/** Bytes. */
const MAX_FILE = HEADER + MAX_COUNTS * MAX_WORD_BYTES;

/** Latencies, counted in whole µs and told apart within 0.1%. */
export class Histogram {
  /** Up to the largest value that came, and no further than a power of two beyond. */
  #counts = new Float64Array(0);
  count = 0;

  /**
   * @param {string} base64 the compressed HdrHistogram V2 encoding
   * @returns {Histogram}
   * @throws {Error} where it is not such a histogram, or larger than any of ours
   */
  static decode(base64) {
    const histogram = new Histogram();
    histogram.addEncoded(base64);
    return histogram;
  }

  /** @param {number} milliseconds */
  record(milliseconds) {
    const value = Math.min(Math.round(milliseconds * MICROSECONDS), MAX_VALUE);
    const bucket = Math.max(31 - HALF_MAGNITUDE - Math.clz32(value), 0);
    const place = bucket * HALF + (value >>> bucket);
    if (place >= this.#counts.length) {
      this.#growTo(place);
    }
    this.#counts[place] += 1;
    this.count += 1;
  }

  /**
   * @param {Histogram} other
   * @throws {InputError} if the sum is too large to be exact
   */
  add(other) {
    const counts = other.#counts;
    this.#checkRoomFor(other.count);
    if (counts.length > this.#counts.length) {
      this.#growTo(counts.length - 1);
    }
    for (let place = 0; place < counts.length; place += 1) {
      this.#counts[place] += counts[place];
    }
    this.count += other.count;
  }

  /**
   * @param {string} base64 see {@link Histogram.decode}
   * @throws {Error} where it is not such a histogram, or the sum is too large to be exact; nothing is added then
   */
  addEncoded(base64) {
    const encoded = inflated(base64);
    const { places, total } = checked(encoded);
    this.#checkRoomFor(total);
    if (places > this.#counts.length) {
      this.#growTo(places - 1);
    }
    for (const [place, count] of countsIn(encoded)) {
      this.#counts[place] += count;
    }
    this.count += total;
  }

  /** @param {Histogram} part all of whose values are in this one, too */
  subtract(part) {
    const counts = part.#counts;
    for (let place = 0; place < counts.length; place += 1) {
      this.#counts[place] -= counts[place];
    }
    this.count -= part.count;
  }

  /**
   * @param {number} percentile 0 to 100
   * @returns {number} ms, within 0.1%: of the values that count as one the largest, and for 0 the least. Without a value, 0
   */
  at(percentile) {
    const exact = (percentile * this.count) / 100;
    // A product that is too large by a rounding error must not ask for one more.
    const rank = Math.max(Math.ceil(exact * (1 - Number.EPSILON)), 1);
    let counted = 0;
    for (let place = 0; place < this.#counts.length; place += 1) {
      counted += this.#counts[place];
      if (counted >= rank) {
        return (percentile === 0 ? leastAt(place) : largestAt(place)) / MICROSECONDS;
      }
    }
    return 0;
  }

  /**
   * @param {number} milliseconds
   * @returns {number} values above that, as far as they are told apart
   */
  countAbove(milliseconds) {
    const { values, counts } = this.valueCounts();
    return counts.reduce((sum, count, at) => (values[at] > milliseconds * MICROSECONDS ? sum + count : sum), 0);
  }

  /**
   * @returns {{ values: number[], counts: number[] }} the values that occurred, in µs and in ascending order, each the largest
   *   of those that are not told apart, and how often they did
   */
  valueCounts() {
    /** @type {number[]} */
    const values = [];
    /** @type {number[]} */
    const counts = [];
    for (let place = 0, left = this.count; left > 0 && place < this.#counts.length; place += 1) {
      const count = this.#counts[place];
      if (count > 0) {
        values.push(largestAt(place));
        counts.push(count);
        left -= count;
      }
    }
    return { values, counts };
  }

  /** @returns {LatencySummary | null} in ms, all of it within 0.1%; null where there is no value */
  summary() {
    if (this.count === 0) {
      return null;
    }
    let sum = 0;
    for (let place = 0; place < this.#counts.length; place += 1) {
      sum += this.#counts[place] * middleAt(place);
    }
    return {
      count: this.count,
      minimum: this.at(0),
      mean: sum / this.count / MICROSECONDS,
      p50: this.at(50),
      p90: this.at(90),
      p95: this.at(95),
      p99: this.at(99),
      p999: this.at(99.9),
      maximum: this.at(100),
    };
  }

  /** @returns {string} the compressed HdrHistogram V2 encoding of the values in µs, in base64 */
  encode() {
    const words = Buffer.allocUnsafe(this.#counts.length * MAX_WORD_BYTES);
    const length = writeWords(words, this.#counts);
    const header = Buffer.alloc(HEADER);
    header.writeUInt32BE(COOKIE);
    header.writeUInt32BE(length, PAYLOAD_LENGTH_AT);
    header.writeUInt32BE(DIGITS, DIGITS_AT);
    header.writeBigInt64BE(1n, LOWEST_AT);
    header.writeBigInt64BE(BigInt(Math.max(largestAt(this.#counts.length - 1), MAX_VALUE)), HIGHEST_AT);
    header.writeDoubleBE(1, RATIO_AT);
    const deflated = deflateSync(Buffer.concat([header, words.subarray(0, length)]));
    const compressedHeader = Buffer.alloc(COMPRESSED_HEADER);
    compressedHeader.writeUInt32BE(COMPRESSED_COOKIE);
    compressedHeader.writeUInt32BE(deflated.length, PAYLOAD_LENGTH_AT);
    return Buffer.concat([compressedHeader, deflated]).toString('base64');
  }

  /** @param {number} count of values */
  #checkRoomFor(count) {
    if (this.count + count > Number.MAX_SAFE_INTEGER) {
      throw new InputError('the histograms together hold 2^53 latencies or more, which no hosts can measure');
    }
  }

  /** @param {number} place */
  #growTo(place) {
    const counts = new Float64Array((Math.floor(place / HALF) + 1) * HALF);
    counts.set(this.#counts);
    this.#counts = counts;
  }
}

/**
 * @param {string} base64 the compressed HdrHistogram V2 encoding
 * @returns {boolean} whether it is a histogram that can be decoded
 */
export function isHistogram(base64) {
  try {
    checked(inflated(base64));
    return true;
  } catch {
    return false;
  }
}

/**
 * The values of a histogram, one after the other.
 *
 * @param {string} base64 the compressed HdrHistogram V2 encoding
 * @returns {Generator<[value: number, count: number], void, undefined>} µs, the least that count as one, in ascending order
 * @throws {Error} where it is not such a histogram, or larger than any of ours
 */
export function* valuesIn(base64) {
  const encoded = inflated(base64);
  checked(encoded);
  for (const [place, count] of countsIn(encoded)) {
    yield [leastAt(place), count];
  }
}

/** @param {number} place */
function bucketAt(place) {
  return Math.max(Math.floor(place / HALF) - 1, 0);
}

/**
 * @param {number} place of a count
 * @returns {number} the least of the values that it counts, in µs
 */
function leastAt(place) {
  const bucket = bucketAt(place);
  return (place - bucket * HALF) * 2 ** bucket;
}

/** @param {number} place */
function largestAt(place) {
  return leastAt(place) + 2 ** bucketAt(place) - 1;
}

/** @param {number} place */
function middleAt(place) {
  return leastAt(place) + Math.floor(2 ** bucketAt(place) / 2);
}

/**
 * @param {Buffer} words with room for all
 * @param {Float64Array} counts
 * @returns {number} bytes that were written
 */
function writeWords(words, counts) {
  let at = 0;
  let zeros = 0;
  const write = (/** @type {number} */ zigZag) => {
    let rest = zigZag;
    for (let length = 1; rest >= 0x80 && length < MAX_WORD_BYTES; length += 1) {
      words[at++] = (rest % 0x80) + 0x80;
      rest = Math.floor(rest / 0x80);
    }
    words[at++] = rest;
  };
  for (const count of counts) {
    if (count === 0) {
      zeros += 1;
      continue;
    }
    if (zeros > 0) {
      write(zeros === 1 ? 0 : 2 * zeros - 1);
      zeros = 0;
    }
    write(2 * count);
  }
  return at;
}

/**
 * @param {string} base64
 * @returns {Buffer} which may be damaged, or made up to do harm
 * @throws {Error} where it is not compressed, or inflates to more than any histogram of ours
 */
function inflated(base64) {
  const compressed = Buffer.from(base64, 'base64');
  if (compressed.length < COMPRESSED_HEADER || compressed.readUInt32BE() !== COMPRESSED_COOKIE) {
    throw new RangeError('expected a compressed HdrHistogram of version 2');
  }
  return inflateSync(compressed.subarray(COMPRESSED_HEADER), { maxOutputLength: MAX_FILE });
}

/**
 * @param {Buffer} encoded
 * @returns {{ places: number, total: number }} how many counts the words encode, and their sum
 * @throws {RangeError} where it is no histogram, or larger than any of ours
 */
function checked(encoded) {
  const highest = encoded.readBigInt64BE(HIGHEST_AT);
  const payload = encoded.subarray(HEADER);
  const isOurs =
    encoded.readUInt32BE() === COOKIE &&
    encoded.readUInt32BE(DIGITS_AT) === DIGITS &&
    encoded.readBigInt64BE(LOWEST_AT) === 1n &&
    highest >= 2n &&
    highest <= MAX_HIGHEST &&
    encoded.readUInt32BE(PAYLOAD_LENGTH_AT) === payload.length;
  let places = 0;
  let total = 0;
  for (const word of wordsIn(payload)) {
    places += word % 2 === 1 ? (word + 1) / 2 : 1;
    total += word % 2 === 1 ? 0 : word / 2;
  }
  if (!isOurs || places > MAX_COUNTS || total > Number.MAX_SAFE_INTEGER) {
    throw new RangeError('expected a histogram of whole microseconds with three digits and counts below 2^53');
  }
  return { places, total };
}

/**
 * @param {Buffer} encoded
 * @returns {Generator<[place: number, count: number], void, undefined>} those that are not zero
 */
function* countsIn(encoded) {
  let place = 0;
  for (const word of wordsIn(encoded.subarray(HEADER))) {
    if (word % 2 === 1) {
      place += (word + 1) / 2;
      continue;
    }
    if (word > 0) {
      yield [place, word / 2];
    }
    place += 1;
  }
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
