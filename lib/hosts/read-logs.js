import { open } from 'node:fs/promises';
import { getSystemErrorMap } from 'node:util';
import { LONGEST_LINE, parseLine } from '../log/log-line.js';

/**
 * @import { FileHandle } from 'node:fs/promises'
 * @import { LogRecord } from '../log/log-line.js'
 */

/**
 * @typedef {{ line: number, record: LogRecord }} LogEntry one line of ours; lines are counted from 1
 * @typedef {{ file: string, entries: LogEntry[] }} LogEntries some lines of one log, in their order
 */

/**
 * @typedef {object} LogWarning
 * @property {string} file the log, as the caller named it
 * @property {number | null} line null where the warning is about the whole file
 * @property {string} message
 * @property {boolean} incomplete whether something that belongs to the total is missing from it
 */

/** The name of a file that stands for standard input, and what it is called in warnings. */
const STANDARD_INPUT = '-';
const STANDARD_INPUT_NAME = 'standard input';

/** Logs may have several GB: large enough that the calls do not matter, small enough for constant memory. Bytes. */
const CHUNK_SIZE = 256 * 1024;

/**
 * Reads log files one after the other, in constant memory. What cannot be read becomes a warning, and reading goes on. A
 * file that is given twice, under whatever name, is read once.
 *
 * @param {Iterable<string>} files `-` is standard input
 * @param {AsyncIterable<Uint8Array>} standardInput
 * @returns {AsyncGenerator<LogEntries | LogWarning, void, undefined>} the lines of a chunk of the file together, because
 *   awaiting every line alone would take most of the time
 */
export async function* readLogs(files, standardInput) {
  /** @type {Map<string, string>} */
  const alreadyRead = new Map();
  for (const file of files) {
    const name = file === STANDARD_INPUT ? STANDARD_INPUT_NAME : file;
    try {
      yield* file === STANDARD_INPUT
        ? readOnce(name, STANDARD_INPUT, alreadyRead, () => standardInput)
        : readFile(name, alreadyRead);
    } catch (error) {
      yield warning(name, null, `cannot be read: ${systemReason(error)}`);
    }
  }
}

/**
 * @param {string} file
 * @param {Map<string, string>} alreadyRead the names of the files, by what identifies a file on this machine
 * @returns {AsyncGenerator<LogEntries | LogWarning, void, undefined>}
 */
async function* readFile(file, alreadyRead) {
  const handle = await open(file);
  try {
    const status = await handle.stat({ bigint: true });
    if (status.isDirectory()) {
      yield warning(file, null, 'is a directory, expected a log file');
    } else {
      const stream = () => handle.createReadStream({ highWaterMark: CHUNK_SIZE, autoClose: false });
      yield* readOnce(file, `${status.dev}:${status.ino}`, alreadyRead, stream);
    }
  } finally {
    await handle.close();
  }
}

/**
 * @param {string} file
 * @param {string} identity
 * @param {Map<string, string>} alreadyRead
 * @param {() => AsyncIterable<Uint8Array>} openStream
 * @returns {AsyncGenerator<LogEntries | LogWarning, void, undefined>}
 */
async function* readOnce(file, identity, alreadyRead, openStream) {
  const earlier = alreadyRead.get(identity);
  if (earlier !== undefined) {
    const what = earlier === file ? 'given twice' : `the same file as ${earlier}`;
    yield { ...warning(file, null, `${what}, counted once`), incomplete: false };
    return;
  }
  alreadyRead.set(identity, file);
  let isEmpty = true;
  let isOurs = false;
  for await (const { entries } of readRecords(notingWhetherEmpty(openStream(), () => (isEmpty = false)))) {
    isOurs ||= entries.length > 0;
    yield { file, entries };
  }
  if (isEmpty) {
    yield warning(file, null, 'is empty, expected what r2-benchmark writes to stdout');
  } else if (!isOurs) {
    const message = 'neither this line nor any behind it is one of a log, expected what r2-benchmark writes to stdout';
    yield warning(file, 1, message);
  }
}

/**
 * @param {AsyncIterable<Uint8Array>} chunks
 * @param {() => void} onChunk
 */
async function* notingWhetherEmpty(chunks, onChunk) {
  for await (const chunk of chunks) {
    onChunk();
    yield chunk;
  }
}

/**
 * Finds our lines in a stream of bytes. Foreign lines are passed over: people `tee` stderr into their logs. Line ends may
 * be LF or CRLF, and a byte order mark may stand in front.
 *
 * @param {AsyncIterable<Uint8Array>} chunks UTF-8
 * @returns {AsyncGenerator<{ entries: LogEntry[] }, void, undefined>}
 */
export async function* readRecords(chunks) {
  let line = 0;
  for await (const texts of splitLines(chunks)) {
    /** @type {LogEntry[]} */
    const entries = [];
    for (const text of texts) {
      line += 1;
      const record = parseLine(text.endsWith('\r') ? text.slice(0, -1) : text);
      if (record !== null) {
        entries.push({ line, record });
      }
    }
    yield { entries };
  }
}

/**
 * The beginning of an unfinished line is kept up to the length at which it can no longer be one of ours.
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
 * @param {number | null} line
 * @param {string} message
 * @returns {LogWarning}
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
