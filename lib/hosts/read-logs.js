import { open } from 'node:fs/promises';
import { getSystemErrorMap } from 'node:util';
import { LONGEST_LINE, parseLine } from '../log/log-line.js';

/** @typedef {import('../log/log-line.js').LogRecord} LogRecord */
/** @typedef {import('node:fs/promises').FileHandle} FileHandle */

/**
 * @typedef {object} LogEntry one line of ours
 * @property {string} file the log it stands in, as the caller named it
 * @property {number} line counted from 1
 * @property {LogRecord} record
 */

/**
 * @typedef {object} LogWarning
 * @property {string} file
 * @property {number | null} line null where the warning is about the whole file
 * @property {string} message
 * @property {boolean} incomplete whether something that belongs to the total is missing from it
 */

/** Logs may have several GB: large enough that the calls do not matter, small enough for constant memory. Bytes. */
const CHUNK_SIZE = 256 * 1024;

/**
 * Reads log files one after the other, in constant memory. What cannot be read becomes a warning, and reading goes on. A
 * file that is given twice, under whatever name, is read once.
 *
 * @param {Iterable<string>} files
 * @returns {AsyncGenerator<LogEntry | LogWarning, void, undefined>}
 */
export async function* readLogs(files) {
  /** @type {Map<string, string>} */
  const alreadyRead = new Map();
  for (const file of files) {
    try {
      yield* readFile(file, alreadyRead);
    } catch (error) {
      yield warning(file, `cannot be read: ${systemReason(error)}`);
    }
  }
}

/**
 * @param {string} file
 * @param {Map<string, string>} alreadyRead the names of the files, by what identifies a file on this machine
 * @returns {AsyncGenerator<LogEntry | LogWarning, void, undefined>}
 */
async function* readFile(file, alreadyRead) {
  const handle = await open(file);
  try {
    const status = await handle.stat({ bigint: true });
    const identity = `${status.dev}:${status.ino}`;
    const earlier = alreadyRead.get(identity);
    if (status.isDirectory()) {
      yield warning(file, 'is a directory, expected a log file');
    } else if (earlier !== undefined) {
      const what = earlier === file ? 'given twice' : `the same file as ${earlier}`;
      yield { ...warning(file, `${what}, counted once`), incomplete: false };
    } else {
      alreadyRead.set(identity, file);
      yield* readOpenFile(file, handle);
    }
  } finally {
    await handle.close();
  }
}

/**
 * @param {string} file
 * @param {FileHandle} handle
 * @returns {AsyncGenerator<LogEntry | LogWarning, void, undefined>}
 */
async function* readOpenFile(file, handle) {
  let isOurs = false;
  for await (const entry of readRecords(handle.createReadStream({ highWaterMark: CHUNK_SIZE, autoClose: false }))) {
    isOurs = true;
    yield { file, ...entry };
  }
  if (!isOurs) {
    yield warning(file, 'has no line of a log, expected what r2-benchmark writes to stdout');
  }
}

/**
 * Finds our lines in a stream of bytes. Foreign lines are passed over: people `tee` stderr into their logs. Line ends may
 * be LF or CRLF, and a byte order mark may stand in front.
 *
 * @param {AsyncIterable<Uint8Array>} chunks UTF-8
 * @returns {AsyncGenerator<{ line: number, record: LogRecord }, void, undefined>}
 */
export async function* readRecords(chunks) {
  let line = 0;
  for await (const texts of splitLines(chunks)) {
    for (const text of texts) {
      line += 1;
      const record = parseLine(text.endsWith('\r') ? text.slice(0, -1) : text);
      if (record !== null) {
        yield { line, record };
      }
    }
  }
}

/**
 * Hands on the lines of each chunk together, because awaiting every line alone would take most of the time. The beginning
 * of an unfinished line is kept up to the length at which it can no longer be one of ours.
 *
 * @param {AsyncIterable<Uint8Array>} chunks
 * @returns {AsyncGenerator<string[], void, undefined>}
 */
async function* splitLines(chunks) {
  const decoder = new TextDecoder();
  let unfinished = '';
  for await (const chunk of chunks) {
    const lines = (unfinished + decoder.decode(chunk, { stream: true })).split('\n');
    unfinished = /** @type {string} */ (lines.pop()).slice(0, LONGEST_LINE + 2);
    yield lines;
  }
  yield [unfinished + decoder.decode()];
}

/**
 * @param {string} file
 * @param {string} message
 * @returns {LogWarning}
 */
function warning(file, message) {
  return { file, line: null, message, incomplete: true };
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
