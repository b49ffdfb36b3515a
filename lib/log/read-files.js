import { open, stat } from 'node:fs/promises';
import { getSystemErrorMap } from 'node:util';
import { readResult } from '../model/read-result.js';
import { MAX_LINE_LENGTH, parseLine } from './lines.js';
import { LogBounds } from './log-bounds.js';
import { LogReader } from './read-log.js';
import { runOfResult } from './result-run.js';

/**
 * @import { MergeWarning, Result } from '../model/result.js'
 * @import { LogLine } from './lines.js'
 * @import { ReadRun } from './read-log.js'
 *
 * @typedef {object} ReadFiles
 * @property {ReadRun[]} runs in the order of the files
 * @property {MergeWarning[]} warnings about whole files
 */

/** The name of a file that stands for standard input, and what it is called in warnings. */
const STANDARD_INPUT = '-';
const STANDARD_INPUT_NAME = 'standard input';

/** Logs may have several GB: large enough that the calls do not matter, small enough for constant memory. Bytes. */
const CHUNK_SIZE = 64 * 1024;

/** A result has to fit into one string. Bytes. */
const MAX_RESULT_SIZE = 256 * 1024 * 1024;

/** A byte order mark and blanks may come before a result; no more of it is looked at. Bytes. */
const MAX_BLANKS = 64;
const JSON_BEGINS = /^\uFEFF?\s*\{/;

/**
 * Reads logs and results, one after the other. Which of both a file is shows in its content. What cannot be read becomes a
 * warning, and reading continues. A file that is given twice, under whatever name, is read once.
 *
 * @param {Iterable<string>} files `-` is standard input
 * @param {AsyncIterable<Uint8Array>} standardInput
 * @param {{ keepsDetails: boolean }} options whether latencies and failures of single seconds are kept
 * @returns {Promise<ReadFiles>}
 * @throws {Error} if a file holds more than any runs write
 */
export async function readFiles(files, standardInput, options) {
  const reader = new FileReader(standardInput, options);
  for (const file of files) {
    await reader.read(file);
  }
  return { runs: reader.runs, warnings: reader.warnings };
}

class FileReader {
  #standardInput;
  #options;
  /** Names by what identifies a file on this machine. @type {Map<string, string>} */
  #alreadyRead = new Map();
  /** @type {ReadRun[]} */
  runs = [];
  /** @type {MergeWarning[]} */
  warnings = [];

  /**
   * @param {AsyncIterable<Uint8Array>} standardInput
   * @param {{ keepsDetails: boolean }} options
   */
  constructor(standardInput, options) {
    this.#standardInput = standardInput;
    this.#options = options;
  }

  /** @param {string} file */
  async read(file) {
    const name = file === STANDARD_INPUT ? STANDARD_INPUT_NAME : file;
    try {
      if (file === STANDARD_INPUT) {
        await this.#readOnce(name, STANDARD_INPUT, () => this.#standardInput);
      } else {
        await this.#readNamed(name);
      }
    } catch (error) {
      this.#warn(name, null, `cannot be read: ${systemReason(error)}`);
    }
  }

  /** @param {string} file */
  async #readNamed(file) {
    const handle = await open(file);
    try {
      const status = await handle.stat({ bigint: true });
      if (status.isDirectory()) {
        this.#warn(file, null, 'is a directory, expected a log file');
        return;
      }
      const openStream = () => handle.createReadStream({ highWaterMark: CHUNK_SIZE, autoClose: false });
      await this.#readOnce(file, `${status.dev}:${status.ino}`, openStream);
    } finally {
      await handle.close();
    }
  }

  /**
   * @param {string} file
   * @param {string} identity
   * @param {() => AsyncIterable<Uint8Array>} openStream
   */
  async #readOnce(file, identity, openStream) {
    const earlier = this.#alreadyRead.get(identity);
    if (earlier !== undefined) {
      const what = earlier === file ? 'given twice' : `the same file as ${earlier}`;
      this.warnings.push({ file, line: null, message: `${what}, counted once`, incomplete: false });
      return;
    }
    this.#alreadyRead.set(identity, file);
    const { text, chunks } = await jsonOf(openStream());
    if (text !== null && this.#takeResult(file, text)) {
      return;
    }
    const bounds = new LogBounds(file);
    let isOurs = false;
    const log = new LogReader(file, (run) => this.runs.push(run));
    const bytes = await readLines(chunks, (number, line) => {
      isOurs = true;
      bounds.add(number, line);
      log.add(number, line);
    });
    log.end();
    if (bytes === 0) {
      this.#warn(file, null, 'is empty, expected what r2-benchmark writes to stdout, --log or --json');
    } else if (!isOurs && text !== null) {
      this.#warn(
        file,
        null,
        'begins as JSON and is none, or is cut short: expected a log, or what r2-benchmark wrote to --json',
      );
    } else if (!isOurs) {
      this.#warn(
        file,
        1,
        'neither this line nor any after it is one of a log, expected what r2-benchmark writes to stdout, --log or --json',
      );
    }
  }

  /**
   * @param {string} file
   * @param {string} text
   * @returns {boolean} whether it is JSON, so that it is no log
   */
  #takeResult(file, text) {
    const { isJson, result, problems, warnings } = readResult(text, file);
    warnings.forEach((message) => this.warnings.push({ file, line: null, message, incomplete: false }));
    problems.forEach((problem) => isJson && this.#warn(file, null, `is not counted: ${problem}`));
    if (result !== null) {
      this.runs.push(runOfResult(file, result, this.#options));
    }
    return isJson;
  }

  /**
   * @param {string} file
   * @param {number | null} line
   * @param {string} message
   */
  #warn(file, line, message) {
    this.warnings.push({ file, line, message, incomplete: true });
  }
}

/**
 * A result is read as a whole. No line of a log begins as one does.
 *
 * @param {AsyncIterable<Uint8Array>} stream
 * @returns {Promise<{ text: string | null, chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array> }>} `text` is null
 *   where it cannot be a result; the chunks are those of the whole stream
 */
async function jsonOf(stream) {
  const iterator = stream[Symbol.asyncIterator]();
  /** @type {Uint8Array[]} */
  const begun = [];
  let size = 0;
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
    begun.push(next.value);
    size += next.value.length;
    if (!JSON_BEGINS.test(Buffer.from(begun[0].subarray(0, MAX_BLANKS)).toString()) || size > MAX_RESULT_SIZE) {
      return { text: null, chunks: continued(begun, iterator) };
    }
  }
  const text = new TextDecoder().decode(Buffer.concat(begun));
  return { text: begun.length === 0 ? null : text, chunks: begun };
}

/**
 * @param {Uint8Array[]} begun
 * @param {AsyncIterator<Uint8Array>} rest
 */
async function* continued(begun, rest) {
  yield* begun.splice(0);
  for (let next = await rest.next(); !next.done; next = await rest.next()) {
    yield next.value;
  }
}

/**
 * Reads a file that holds a result, and nothing else, as it is.
 *
 * @param {string} file
 * @returns {Promise<{ result: Result, warnings: string[] } | null>} null where it is no such file: standard input, a log, or
 *   what cannot be read
 */
export async function readWholeResult(file) {
  const text = file === STANDARD_INPUT ? null : await readJson(file);
  const { result, warnings } = text === null ? { result: null, warnings: [] } : readResult(text, file);
  return result === null ? null : { result, warnings };
}

/**
 * @param {string} file
 * @returns {Promise<string | null>} what it holds; null if it cannot be a result, of which no more is read than that shows
 */
async function readJson(file) {
  const status = await stat(file).catch(() => null);
  const handle = status?.isFile() ? await open(file).catch(() => null) : null;
  try {
    return handle && (await jsonOf(handle.createReadStream({ autoClose: false }))).text;
  } catch {
    return null;
  } finally {
    await handle?.close();
  }
}

/**
 * @param {string} file
 * @returns {Promise<string | null>} what it is, where it cannot be made again: a log, or the result of a run
 */
export async function whatIsLost(file) {
  const status = await stat(file).catch(() => null);
  if (!status?.isFile()) {
    return null;
  }
  if (await isLog(file)) {
    return 'a log';
  }
  const whole = await readWholeResult(file);
  return whole !== null && whole.result.merge === undefined ? 'the result of a run' : null;
}

/**
 * @param {string} file
 * @returns {Promise<boolean>} whether it is a file that has lines of a log at its beginning
 */
async function isLog(file) {
  const handle = await open(file).catch(() => null);
  let isOurs = false;
  if (handle !== null) {
    await readLines(handle.createReadStream({ end: CHUNK_SIZE - 1 }), () => (isOurs = true));
  }
  return isOurs;
}

/**
 * Finds our lines in a stream of bytes. Foreign lines are passed over: people `tee` stderr into their logs. Line ends may
 * be LF or CRLF, and a byte order mark may come first.
 *
 * @param {AsyncIterable<Uint8Array> | Iterable<Uint8Array>} chunks UTF-8
 * @param {(number: number, line: LogLine) => void} onLine lines are counted from 1. It is called, and not awaited: awaiting every
 *   line would take most of the time
 * @returns {Promise<number>} the bytes that were read
 */
export async function readLines(chunks, onLine) {
  const decoder = new TextDecoder();
  let bytes = 0;
  let number = 0;
  let unfinished = '';
  const add = (/** @type {string} */ text) => {
    number += 1;
    const line = parseLine(text.endsWith('\r') ? text.slice(0, -1) : text);
    if (line !== null) {
      onLine(number, line);
    }
  };
  for await (const chunk of chunks) {
    bytes += chunk.length;
    const text = unfinished + decoder.decode(chunk, { stream: true });
    let start = 0;
    // Line by line, and not split at once: lines that are gone again do not pile up in memory.
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      add(text.slice(start, end));
      start = end + 1;
    }
    // Its beginning is kept up to the length at which it can no longer be a line of ours.
    unfinished = text.slice(start, start + MAX_LINE_LENGTH + 2);
  }
  add(unfinished + decoder.decode());
  return bytes;
}

/**
 * @param {unknown} error
 * @returns {string} the operating system's words
 * @throws {unknown} the error itself where it is none of the operating system
 */
function systemReason(error) {
  const [code, description] = getSystemErrorMap().get(/** @type {NodeJS.ErrnoException} */ (error).errno ?? 0) ?? [];
  if (code === undefined) {
    throw error;
  }
  return `${description} (${code})`;
}
