import { open, stat } from 'node:fs/promises';
import { getSystemErrorMap } from 'node:util';
import { LogBounds } from '../log/input-bounds.js';
import { MAX_LINE_LENGTH, parseLine } from '../log/log-line.js';
import { readResult } from '../model/read-result.js';

/**
 * @import { LogRecord } from '../log/log-line.js'
 * @import { MergeWarning, Result } from '../model/result.js'
 */

/**
 * @typedef {object} FileReader
 * @property {(file: string, line: number, record: LogRecord) => void} addRecord a line of ours; lines are counted from 1
 * @property {(file: string, result: Result) => void} addResult
 * @property {(warning: MergeWarning) => void} addWarning
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
 * Reads logs, in constant memory, and results one after the other. Which of both a file is shows in its content. What cannot be read becomes a warning, and reading goes on. A
 * file that is given twice, under whatever name, is read once.
 *
 * @param {Iterable<string>} files `-` is standard input
 * @param {AsyncIterable<Uint8Array>} standardInput
 * @param {FileReader} reader gets what is found. It is called, and not awaited: awaiting every line would take most of
 *   the time.
 * @throws {Error} if a file holds more than any runs write
 */
export async function readFiles(files, standardInput, reader) {
  /** @type {Map<string, string>} */
  const alreadyRead = new Map();
  for (const file of files) {
    const name = file === STANDARD_INPUT ? STANDARD_INPUT_NAME : file;
    try {
      if (file === STANDARD_INPUT) {
        await readOnce({ file: name, identity: STANDARD_INPUT, alreadyRead, open: () => standardInput }, reader);
      } else {
        await readNamed(name, alreadyRead, reader);
      }
    } catch (error) {
      reader.addWarning(warning(name, null, `cannot be read: ${systemReason(error)}`));
    }
  }
}

/**
 * @param {string} file
 * @param {Map<string, string>} alreadyRead the names of the files, by what identifies a file on this machine
 * @param {FileReader} reader
 */
async function readNamed(file, alreadyRead, reader) {
  const handle = await open(file);
  try {
    const status = await handle.stat({ bigint: true });
    if (status.isDirectory()) {
      reader.addWarning(warning(file, null, 'is a directory, expected a log file'));
      return;
    }
    const openStream = () => handle.createReadStream({ highWaterMark: CHUNK_SIZE, autoClose: false });
    await readOnce({ file, identity: `${status.dev}:${status.ino}`, alreadyRead, open: openStream }, reader);
  } finally {
    await handle.close();
  }
}

/**
 * @param {object} log
 * @param {string} log.file
 * @param {string} log.identity
 * @param {Map<string, string>} log.alreadyRead
 * @param {() => AsyncIterable<Uint8Array>} log.open
 * @param {FileReader} reader
 */
async function readOnce({ file, identity, alreadyRead, open: openStream }, reader) {
  const earlier = alreadyRead.get(identity);
  if (earlier !== undefined) {
    const what = earlier === file ? 'given twice' : `the same file as ${earlier}`;
    reader.addWarning({ ...warning(file, null, `${what}, counted once`), incomplete: false });
    return;
  }
  alreadyRead.set(identity, file);
  const { text, chunks } = await jsonOf(openStream());
  if (text !== null && addResult(file, text, reader)) {
    return;
  }
  const bounds = new LogBounds(file);
  let isOurs = false;
  const bytes = await readRecords(chunks, (line, record) => {
    isOurs = true;
    bounds.add(line, record);
    reader.addRecord(file, line, record);
  });
  if (bytes === 0) {
    reader.addWarning(warning(file, null, 'is empty, expected what r2-benchmark writes to stdout, --log or --json'));
  } else if (!isOurs && text !== null) {
    reader.addWarning(
      warning(
        file,
        null,
        'begins as JSON and is none, or is cut short: expected a log, or what r2-benchmark wrote to --json',
      ),
    );
  } else if (!isOurs) {
    const message =
      'neither this line nor any after it is one of a log, expected what r2-benchmark writes to stdout, --log or --json';
    reader.addWarning(warning(file, 1, message));
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
 * @param {string} file
 * @param {string} text
 * @param {FileReader} reader
 * @returns {boolean} whether it is JSON, so that it is no log
 */
function addResult(file, text, reader) {
  const { isJson, result, problems, warnings } = readResult(text, file);
  if (!isJson) {
    return false;
  }
  warnings.forEach((message) => reader.addWarning({ ...warning(file, null, message), incomplete: false }));
  problems.forEach((problem) => reader.addWarning(warning(file, null, `is not counted: ${problem}`)));
  if (result !== null) {
    reader.addResult(file, result);
  }
  return true;
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
    await readRecords(handle.createReadStream({ end: CHUNK_SIZE - 1 }), () => (isOurs = true));
  }
  return isOurs;
}

/**
 * Finds our lines in a stream of bytes. Foreign lines are passed over: people `tee` stderr into their logs. Line ends may
 * be LF or CRLF, and a byte order mark may come first.
 *
 * @param {AsyncIterable<Uint8Array> | Iterable<Uint8Array>} chunks UTF-8
 * @param {(line: number, record: LogRecord) => void} onRecord
 * @returns {Promise<number>} the bytes that were read
 */
export async function readRecords(chunks, onRecord) {
  const decoder = new TextDecoder();
  let bytes = 0;
  let line = 0;
  let unfinished = '';
  const add = (/** @type {string} */ text) => {
    line += 1;
    const record = parseLine(text.endsWith('\r') ? text.slice(0, -1) : text);
    if (record !== null) {
      onRecord(line, record);
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
 * @param {string} file
 * @param {number | null} line
 * @param {string} message
 * @returns {MergeWarning}
 */
function warning(file, line, message) {
  return { file, line, message, incomplete: true };
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
