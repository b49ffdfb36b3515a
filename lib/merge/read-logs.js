import { open, stat } from 'node:fs/promises';
import { getSystemErrorMap } from 'node:util';
import { LONGEST_LINE, parseLine } from '../log/log-line.js';

/** @import { LogRecord } from '../log/log-line.js' */

/**
 * @typedef {object} LogWarning
 * @property {string} file the log, as the caller named it
 * @property {number | null} line null where the warning is about the whole file
 * @property {string} message
 * @property {boolean} incomplete whether something that belongs to the total is missing from it, or was never done
 */

/**
 * @typedef {object} LogReader
 * @property {(file: string, line: number, record: LogRecord) => void} addRecord a line of ours; lines are counted from 1
 * @property {(warning: LogWarning) => void} addWarning
 */

/** The name of a file that stands for standard input, and what it is called in warnings. */
const STANDARD_INPUT = '-';
const STANDARD_INPUT_NAME = 'standard input';

/** Logs may have several GB: large enough that the calls do not matter, small enough for constant memory. Bytes. */
const CHUNK_SIZE = 64 * 1024;

/**
 * Reads log files one after the other, in constant memory. What cannot be read becomes a warning, and reading goes on. A
 * file that is given twice, under whatever name, is read once.
 *
 * @param {Iterable<string>} files `-` is standard input
 * @param {AsyncIterable<Uint8Array>} standardInput
 * @param {LogReader} reader is told what is found. It is called, and not awaited: awaiting every line would take most of
 *   the time.
 */
export async function readLogs(files, standardInput, reader) {
  /** @type {Map<string, string>} */
  const alreadyRead = new Map();
  for (const file of files) {
    const name = file === STANDARD_INPUT ? STANDARD_INPUT_NAME : file;
    try {
      if (file === STANDARD_INPUT) {
        await readOnce({ file: name, identity: STANDARD_INPUT, alreadyRead, open: () => standardInput }, reader);
      } else {
        await readFile(name, alreadyRead, reader);
      }
    } catch (error) {
      reader.addWarning(warning(name, null, `cannot be read: ${systemReason(error)}`));
    }
  }
}

/**
 * @param {string} file
 * @param {Map<string, string>} alreadyRead the names of the files, by what identifies a file on this machine
 * @param {LogReader} reader
 */
async function readFile(file, alreadyRead, reader) {
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
 * @param {LogReader} reader
 */
async function readOnce({ file, identity, alreadyRead, open: openStream }, reader) {
  const earlier = alreadyRead.get(identity);
  if (earlier !== undefined) {
    const what = earlier === file ? 'given twice' : `the same file as ${earlier}`;
    reader.addWarning({ ...warning(file, null, `${what}, counted once`), incomplete: false });
    return;
  }
  alreadyRead.set(identity, file);
  let isOurs = false;
  const bytes = await readRecords(openStream(), (line, record) => {
    isOurs = true;
    reader.addRecord(file, line, record);
  });
  if (bytes === 0) {
    reader.addWarning(warning(file, null, 'is empty, expected what r2-benchmark writes to stdout'));
  } else if (!isOurs) {
    const message = 'neither this line nor any behind it is one of a log, expected what r2-benchmark writes to stdout';
    reader.addWarning(warning(file, 1, message));
  }
}

/**
 * @param {string} file
 * @returns {Promise<boolean>} whether it is a file that has lines of a log at its beginning
 */
export async function isLog(file) {
  const status = await stat(file).catch(() => null);
  if (!status?.isFile()) {
    return false;
  }
  const handle = await open(file).catch(() => null);
  let isOurs = false;
  if (handle !== null) {
    await readRecords(handle.createReadStream({ end: CHUNK_SIZE - 1 }), () => (isOurs = true));
  }
  return isOurs;
}

/**
 * Finds our lines in a stream of bytes. Foreign lines are passed over: people `tee` stderr into their logs. Line ends may
 * be LF or CRLF, and a byte order mark may stand in front.
 *
 * @param {AsyncIterable<Uint8Array>} chunks UTF-8
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
    unfinished = text.slice(start, start + LONGEST_LINE + 2);
  }
  add(unfinished + decoder.decode());
  return bytes;
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
