import { open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { WHOLE } from '../workload/shard.js';
import { FORMATS, formatOf } from './log-formats.js';
import { MAX_REQUESTS, RecordedRequests } from './recorded-requests.js';
import { ArrayElements, Lines } from './records.js';

/**
 * @import { Shard } from '../model/config.js'
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
      const expected =
        format === undefined
          ? `${FORMATS.r2} (JSON), ${FORMATS.s3}, or CSV with the header time,operation,key,size`
          : FORMATS[format];
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
