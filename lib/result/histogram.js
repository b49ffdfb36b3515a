import { deflateSync, inflateSync } from 'node:zlib';
import { InputError } from './input-bounds.js';

/**
 * @import { LatencySummary, StageLatency } from './result.js'
 * @import { LatencyName } from './run-events.js'
 */

const HISTOGRAM_FORMAT = Object.freeze({
  encoding: /** @type {const} */ ('HdrHistogram V2, compressed, base64'),
  unit: /** @type {const} */ ('us'),
});

/** Latencies of every stage; null if it measured none. */
export const LATENCY_NAMES = Object.freeze(
  /** @type {const} */ (['operations', 'attempts', 'firstByte', 'startDelay', 'parts', 'binding', 'bindingFirstByte']),
);

/**
 * @param {(name: LatencyName) => { summary: LatencySummary | null, encoded: string | null }} of
 * @returns {StageLatency}
 */
export function toStageLatency(of) {
  const latencies = LATENCY_NAMES.map((name) => ({ name, ...of(name) }));
  const fields = (/** @type {'summary' | 'encoded'} */ field) =>
    Object.fromEntries(latencies.map(({ name, [field]: value }) => [name, value]));
  return /** @type {StageLatency} */ ({
    unit: 'ms',
    ...fields('summary'),
    histogram: { ...HISTOGRAM_FORMAT, ...fields('encoded') },
  });
}

/** @type {Readonly<StageLatency>} */
export const UNKNOWN_LATENCY = Object.freeze(toStageLatency(() => ({ summary: null, encoded: null })));

/** An hour, in µs. Longer latencies are recorded as an hour. */
const MAX_VALUE = 3_600_000_000;

const MICROSECONDS = 1000;

// An HdrHistogram with three significant digits: the first 2,048 values have one count each, and every further power of
// two has 1,024 counts. (https://github.com/HdrHistogram/HdrHistogram)
const DIGITS = 3;
const HALF_MAGNITUDE = 10;
const HALF = 2 ** HALF_MAGNITUDE;

/** The number of counts of values up to 2^52. */
const MAX_COUNTS = 44 * HALF;

// The compressed V2 encoding: 4 bytes of cookie, 4 of length, and then, deflated: cookie, payload length, normalizing
// index offset, significant digits (4 bytes each), lowest and highest value and conversion ratio (8 each), and the
// counts as ZigZag LEB128 words of up to 9 bytes. A negative word represents a run of zero counts. (See
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

const MAX_FILE = HEADER + MAX_COUNTS * MAX_WORD_BYTES;

const EXPECTED =
  'expected a compressed HdrHistogram of version 2, of whole microseconds with three digits and counts below 2^53';

/** Counts latencies in whole µs, with a resolution of 0.1%. */
export class Histogram {
  /** One count per index, up to the next power of two above the largest value. */
  #counts = new Float64Array(0);
  count = 0;

  /**
   * @param {string} base64 the compressed HdrHistogram V2 encoding
   * @throws {Error} if it is not such a histogram, or exceeds the limits of this class
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
    const index = bucket * HALF + (value >>> bucket);
    if (index >= this.#counts.length) {
      this.#growTo(index);
    }
    this.#counts[index] += 1;
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
    for (let index = 0; index < counts.length; index += 1) {
      this.#counts[index] += counts[index];
    }
    this.count += other.count;
  }

  /**
   * @param {string} base64 see {@link Histogram.decode}
   * @throws {Error} if it is not such a histogram, or the sum is too large to be exact; this histogram is useless then
   */
  addEncoded(base64) {
    let index = 0;
    let total = 0;
    for (const word of wordsIn(payloadOf(base64))) {
      const isRunOfZeros = word % 2 === 1;
      if (!isRunOfZeros && word > 0) {
        if (index >= MAX_COUNTS) {
          throw new RangeError(EXPECTED);
        }
        if (index >= this.#counts.length) {
          this.#growTo(index);
        }
        this.#counts[index] += word / 2;
        total += word / 2;
      }
      index += isRunOfZeros ? (word + 1) / 2 : 1;
    }
    this.#checkRoomFor(total);
    this.count += total;
  }

  /** @param {Histogram} part whose values are all included in this one */
  subtract(part) {
    const counts = part.#counts;
    for (let index = 0; index < counts.length; index += 1) {
      this.#counts[index] -= counts[index];
    }
    this.count -= part.count;
  }

  /**
   * @param {number} percentile 0 to 100
   * @returns {number} ms, to within 0.1%: the largest of the equivalent values (for 0, the smallest); 0 without values
   */
  at(percentile) {
    const exact = (percentile * this.count) / 100;
    // Rounding can make the product slightly too large. This must not raise the rank.
    const rank = Math.max(Math.ceil(exact * (1 - Number.EPSILON)), 1);
    let counted = 0;
    for (let index = 0; index < this.#counts.length; index += 1) {
      counted += this.#counts[index];
      if (counted >= rank) {
        return (percentile === 0 ? leastAt(index) : largestAt(index)) / MICROSECONDS;
      }
    }
    return 0;
  }

  /** Counts the values above a limit, to within the histogram's resolution. @param {number} milliseconds */
  countAbove(milliseconds) {
    const { values, counts } = this.valueCounts();
    const limit = Math.round(milliseconds * MICROSECONDS);
    return counts.reduce((sum, count, at) => (values[at] > limit ? sum + count : sum), 0);
  }

  /** Distinct values in µs in ascending order, each the largest of its equivalent values, and their counts. */
  valueCounts() {
    /** @type {number[]} */
    const values = [];
    /** @type {number[]} */
    const counts = [];
    for (let index = 0, left = this.count; left > 0 && index < this.#counts.length; index += 1) {
      const count = this.#counts[index];
      if (count > 0) {
        values.push(largestAt(index));
        counts.push(count);
        left -= count;
      }
    }
    return { values, counts };
  }

  /** @returns {LatencySummary | null} in ms, to within 0.1%; null without values */
  summary() {
    if (this.count === 0) {
      return null;
    }
    let sum = 0;
    for (let index = 0; index < this.#counts.length; index += 1) {
      sum += this.#counts[index] * middleAt(index);
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

  /**
   * @param {number} characters
   * @param {number} bits by which the resolution of 0.1% may at least be reduced: 3 for 1%
   * @returns {string | null} the finest encoding that is no longer; null if there is none
   */
  encodeWithin(characters, bits) {
    for (let dropped = bits; dropped < HALF_MAGNITUDE; dropped += 1) {
      const text = this.#coarsened(dropped).encode();
      if (text.length <= characters) {
        return text;
      }
    }
    return null;
  }

  /**
   * Counts neighbouring values as the middle one of them.
   *
   * @param {number} bits dropped of the ten that distinguish values between two powers of two
   */
  #coarsened(bits) {
    const coarse = new Histogram();
    coarse.#counts = new Float64Array(this.#counts.length);
    coarse.count = this.count;
    this.#counts.forEach((count, index) => {
      const magnitude = Math.min(31 - Math.clz32(index), HALF_MAGNITUDE);
      const size = 2 ** Math.max(magnitude - HALF_MAGNITUDE + bits, 0);
      coarse.#counts[index - (index % size) + Math.floor(size / 2)] += count;
    });
    return coarse;
  }

  /** Returns the compressed HdrHistogram V2 encoding of the values in µs, in base64. */
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
      throw new InputError('the histograms together hold 2^53 latencies or more, which no hosts can have measured');
    }
  }

  /** @param {number} index */
  #growTo(index) {
    const counts = new Float64Array((Math.floor(index / HALF) + 1) * HALF);
    counts.set(this.#counts);
    this.#counts = counts;
  }
}

/**
 * @param {LatencySummary | null} summary
 * @param {Pick<LatencySummary, 'mean' | 'minimum' | 'maximum'>} exact figures, which replace those of the histogram
 * @returns {LatencySummary | null} with percentiles between the extremes
 */
export function withExact(summary, { mean, minimum, maximum }) {
  if (summary === null) {
    return null;
  }
  const within = (/** @type {number} */ value) => Math.min(Math.max(value, minimum), maximum);
  const [p50, p90, p95, p99, p999] = [summary.p50, summary.p90, summary.p95, summary.p99, summary.p999].map(within);
  return { count: summary.count, minimum, mean, p50, p90, p95, p99, p999, maximum };
}

/** @param {string} base64 presumably the compressed HdrHistogram V2 encoding */
export function isHistogram(base64) {
  try {
    Histogram.decode(base64);
    return true;
  } catch {
    return false;
  }
}

/** @param {number} index */
function bucketAt(index) {
  return Math.max(Math.floor(index / HALF) - 1, 0);
}

/** The smallest value that is counted at an index, in µs. @param {number} index */
function leastAt(index) {
  const bucket = bucketAt(index);
  return (index - bucket * HALF) * 2 ** bucket;
}

/** @param {number} index */
function largestAt(index) {
  return leastAt(index) + 2 ** bucketAt(index) - 1;
}

/** @param {number} index */
function middleAt(index) {
  return leastAt(index) + Math.floor(2 ** bucketAt(index) / 2);
}

/**
 * @param {Buffer} words large enough for all counts
 * @param {Float64Array} counts
 * @returns {number} bytes written
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
 * @returns {Buffer} the words of a histogram, untrusted: possibly damaged or malicious
 * @throws {Error} if it is not a compressed histogram of this format, or inflates to more than MAX_FILE
 */
function payloadOf(base64) {
  const compressed = Buffer.from(base64, 'base64');
  const encoded = inflateSync(compressed.subarray(COMPRESSED_HEADER), { maxOutputLength: MAX_FILE });
  const payload = encoded.subarray(HEADER);
  const isOurs =
    compressed.readUInt32BE() === COMPRESSED_COOKIE &&
    encoded.readUInt32BE() === COOKIE &&
    encoded.readUInt32BE(DIGITS_AT) === DIGITS &&
    encoded.readBigInt64BE(LOWEST_AT) === 1n &&
    encoded.readUInt32BE(PAYLOAD_LENGTH_AT) === payload.length;
  if (!isOurs) {
    throw new RangeError(EXPECTED);
  }
  return payload;
}

/** Yields words in ZigZag form, in which odd words represent negative numbers. @param {Uint8Array} payload */
function* wordsIn(payload) {
  let word = 0;
  let length = 0;
  for (const byte of payload) {
    // The ninth byte has no continuation bit.
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
