import { open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { WHOLE } from '../workload/keyspace.js';
import { FORMATS, formatOf } from './log-formats.js';
import { MAX_REQUESTS, RecordedRequests } from './recorded-requests.js';

/**
 * @import { Shard } from '../../result/config.js'
 * @import { FormatName, Parse } from './log-formats.js'
 */

const GZIP = Buffer.from([0x1f, 0x8b]);
const ARRAY = '['.charCodeAt(0);
const SPACES = new Set([...Buffer.from(' \t\r\n\uFEFF')]);
const SHOWN_LINES = 3;

/** Lines after which a file that could not be recognised counts as no log. */
const MAX_TRIED = 100;

/**
 * @typedef {object} ReadLogs
 * @property {RecordedRequests} recorded
 * @property {readonly FormatName[]} formats of the files
 * @property {number} unreadable number of lines
 * @property {readonly string[]} unreadableAt the first of them, as file:line
 */

/**
 * Reads the logs of stores, compressed or not, in any order.
 *
 * @param {readonly string[]} files
 * @param {{ format?: FormatName, shard?: Shard }} [options] `format`: of all files; by default, each is recognised
 * @returns {Promise<ReadLogs>}
 * @throws {RangeError} that names the file and what was expected
 */
export async function readLogs(files, { format, shard = WHOLE } = {}) {
  const recorded = new RecordedRequests(shard);
  const formats = new Set();
  let unreadable = 0;
  /** @type {string[]} */
  const unreadableAt = [];
  for (const file of files) {
    /** @type {Parse | null} */
    let parse = null;
    let tried = 0;
    const take = (/** @type {string} */ text, /** @type {number} */ line) => {
      let isHeader = false;
      if (parse === null && tried++ < MAX_TRIED) {
        const found = formatOf(text, format);
        parse = found?.parse ?? null;
        isHeader = found?.name === 'csv';
        if (found !== null) {
          formats.add(found.name);
        }
      }
      const request = parse?.(text) ?? null;
      if (request !== null) {
        recorded.add(request);
      } else if (!isHeader) {
        unreadable += 1;
        if (unreadableAt.length < SHOWN_LINES) {
          unreadableAt.push(`${file}:${line}`);
        }
      }
    };
    await readRecords(file, take);
    if (parse === null && tried > 0) {
      const csv = `${FORMATS.csv} with the header time,operation,key,size`;
      const named = { r2: `${FORMATS.r2} (JSON)`, s3: FORMATS.s3, csv };
      const expected = format === undefined ? `${named.r2}, ${named.s3}, or ${csv}` : named[format];
      throw new RangeError(`${file}: no line could be read, expected ${expected}`);
    }
  }
  if (recorded.count > MAX_REQUESTS) {
    throw new RangeError(
      `the logs have ${recorded.count} requests, more than the ${MAX_REQUESTS} that fit in memory: replay fewer files, or split them among hosts with --shard`,
    );
  }
  return { recorded, formats: [...formats], unreadable, unreadableAt };
}

/**
 * @param {string} file
 * @param {(text: string, line: number) => void} take
 * @throws {RangeError} if the file cannot be read
 */
async function readRecords(file, take) {
  try {
    const handle = await open(file);
    const { buffer: start } = await handle.read(Buffer.alloc(GZIP.length), 0, GZIP.length, 0);
    const bytes = handle.createReadStream({ start: 0, highWaterMark: 2 ** 18 });
    const source = start.equals(GZIP) ? bytes.pipe(createGunzip()) : bytes;
    bytes.on('error', (error) => source.destroy(error));
    /** @type {Lines | ArrayElements | null} */
    let records = null;
    for await (const chunk of source) {
      if (records === null) {
        const first = chunk.find((/** @type {number} */ byte) => !SPACES.has(byte));
        records = first === ARRAY ? new ArrayElements(take) : new Lines(take);
      }
      records.push(chunk);
    }
    records?.end();
  } catch (error) {
    throw new RangeError(`${file}: ${/** @type {Error} */ (error).message}`, { cause: error });
  }
}

const NEWLINE = 10;
const [QUOTE, BACKSLASH, OPEN, CLOSE] = Buffer.from('"\\{}');

/** A longer record is not a request: 1,000 keys of 1,024 bytes, escaped, fit in it. */
const MAX_RECORD_BYTES = 2 ** 24;

/** @typedef {(text: string, line: number) => void} TakeRecord the text of a record that is too long is '' */

/** Puts together records that arrive in pieces. */
class Records {
  #take;
  /** @type {Buffer[]} */
  #pieces = [];
  #bytes = 0;

  /** @param {TakeRecord} take */
  constructor(take) {
    this.#take = take;
  }

  /** @param {Buffer} piece */
  hold(piece) {
    this.#bytes += piece.length;
    if (this.#bytes <= MAX_RECORD_BYTES) {
      this.#pieces.push(piece);
    }
  }

  /** @param {number} line of its start */
  finish(line) {
    const isTooLong = this.#bytes > MAX_RECORD_BYTES;
    const [bytes] = this.#pieces.length === 1 ? this.#pieces : [Buffer.concat(this.#pieces)];
    const text = isTooLong ? '' : bytes.toString('utf8').trim();
    this.#pieces = [];
    this.#bytes = 0;
    if (text !== '' || isTooLong) {
      this.#take(text, line);
    }
  }
}

/** Splits a file that arrives in chunks into its lines. */
class Lines extends Records {
  #line = 1;

  /** @param {Buffer} chunk */
  push(chunk) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      this.hold(chunk.subarray(from, end));
      this.end();
      from = end + 1;
    }
    this.hold(chunk.subarray(from));
  }

  end() {
    this.finish(this.#line++);
  }
}

/** Splits a JSON array of objects that arrives in chunks into the text of each object. */
class ArrayElements extends Records {
  #line = 1;
  #firstLine = 1;
  #depth = 0;
  #inString = false;
  #isEscaped = false;

  /** @param {Buffer} chunk */
  push(chunk) {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      this.#line += Number(byte === NEWLINE);
      if (this.#inString) {
        this.#inString = byte !== QUOTE || this.#isEscaped;
        this.#isEscaped = byte === BACKSLASH && !this.#isEscaped;
      } else if (byte === QUOTE) {
        this.#inString = this.#depth > 0;
      } else if (byte === OPEN && this.#depth++ === 0) {
        from = at;
        this.#firstLine = this.#line;
      } else if (byte === CLOSE && this.#depth > 0 && --this.#depth === 0) {
        this.hold(chunk.subarray(from, at + 1));
        this.end();
      }
    }
    if (this.#depth > 0) {
      this.hold(chunk.subarray(from));
    }
  }

  /** Also takes an element that has no end: it cannot be read. */
  end() {
    this.finish(this.#firstLine);
  }
}
