import { open, stat } from 'node:fs/promises';
import { getSystemErrorMap } from 'node:util';
import { placeOf } from '../../text/plain-text.js';
import { encodingOf } from '../../text/text-file.js';
import { InputError, checkCount } from '../input-bounds.js';
import { readResult } from '../read-result.js';
import { MAX_LINE_LENGTH, parseLine } from './lines.js';
import { LogReader } from './read-log.js';
import { runOfResult } from './result-run.js';

/**
 * @import { MergeWarning, Result } from '../result.js'
 * @import { LogLine } from './lines.js'
 * @import { Count, ReadRun } from './read-log.js'
 */

const STANDARD_INPUT = '-';
const STANDARD_INPUT_NAME = 'standard input';

/** Bytes: large enough to keep calls rare, small enough for constant memory (logs can be gigabytes). */
const CHUNK_SIZE = 64 * 1024;

/** Bytes. A result must fit into one string. */
export const MAX_RESULT_SIZE = 256 * 1024 * 1024;

/** Bytes without a log line after which an input is no log, such as a device that never ends. */
const MAX_FOREIGN = 1024 ** 3;

/** JSON may follow a byte order mark and blanks, but must start within this many bytes. */
const MAX_BLANKS = 64;
const JSON_START = /^\s*\{(?!"log":)/;

const EXPECTED = 'expected output of r2-benchmark (stdout, --log or --json)';

/* eslint-disable no-control-regex */
/** Formats of files that may contain a log, by their first bytes, and how to get the log. @type {[RegExp, string][]} */
const FORMATS = [
  [/^(?:\x1F\x8B|PK\x03\x04|BZh|\x28\xB5\x2F\xFD|\xFD7zXZ)/, 'is compressed: decompress it first'],
  [/^LPKSHHRH/, "is a file of systemd's journal: export the log with journalctl -o cat"],
  [/^(?:%PDF|\{\\rtf|\s*<(?:!doctype|html))/i, 'is a document: save the log as plain text'],
  [/^\s*\{/, 'starts like JSON but is invalid or cut short'],
  [/^\s*\[/, 'is JSON of another program: write its messages to a file, one per line'],
];
/* eslint-enable no-control-regex */

/**
 * Reads logs and results in order, and distinguishes them by their content. A file with other content becomes a warning,
 * and reading continues. A file given twice is read once, even under another name.
 *
 * @param {Iterable<string>} files `-` is standard input
 * @param {AsyncIterable<Uint8Array>} [standardInput]
 * @param {{ keepsDetails: boolean }} [options] whether to keep latencies and failures per second
 * @returns {Promise<{ runs: ReadRun[], warnings: MergeWarning[] }>} runs in file order; warnings about whole files
 * @throws {InputError} if a file cannot be read, or contains more than any run writes
 */
export async function readFiles(files, standardInput = nothing(), options = { keepsDetails: true }) {
  const reader = new FileReader(standardInput, options);
  for (const file of files) {
    await reader.read(file);
  }
  return { runs: reader.runs, warnings: reader.warnings };
}

/** @returns {AsyncGenerator<Uint8Array, void, undefined>} */
async function* nothing() {}

class FileReader {
  #standardInput;
  #options;
  /** Names by file identity: device and inode. @type {Map<string, string>} */
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
      throw new InputError(`${placeOf({ file: name, line: null })}: cannot be read: ${systemReason(error)}`);
    }
  }

  /** @param {string} file */
  async #readNamed(file) {
    const handle = await open(file);
    try {
      const status = await handle.stat({ bigint: true });
      if (status.isDirectory()) {
        throw new InputError(`${placeOf({ file, line: null })}: is a directory, expected a log file`);
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
    const { text, chunks, start } = await bufferJson(openStream());
    if (text !== null && this.#takeResult(file, text)) {
      return;
    }
    const held = { runs: 0, stages: 0, seconds: 0, 'machine lines': 0 };
    /** @type {Count} */
    const count = (what, line) => checkCount(what, (held[what] += 1), file, line);
    /** By source. @type {Map<string, LogReader>} */
    const logs = new Map();
    const onLine = (/** @type {number} */ number, /** @type {LogLine} */ line, /** @type {string} */ source) => {
      const log = logs.get(source) ?? new LogReader(file, (run) => this.runs.push(run), count);
      logs.set(source, log);
      log.add(number, line);
    };
    const bytes = await readLines(chunks, onLine, file);
    logs.forEach((log) => log.end());
    if (bytes === 0) {
      this.#warn(file, null, `is empty: ${EXPECTED}`);
    } else if (logs.size === 0) {
      const [, format] = FORMATS.find(([form]) => form.test(start)) ?? [];
      this.#warn(file, format === undefined ? 1 : null, `${format ?? 'contains no log lines'}: ${EXPECTED}`);
    }
  }

  /**
   * @param {string} file
   * @param {string} text
   * @returns {boolean} whether it is JSON, and therefore not a log
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
 * Buffers a file that starts like JSON, because a result is read as a whole. No log line starts like that.
 *
 * @param {AsyncIterable<Uint8Array>} stream
 * @returns {Promise<{ text: string | null, chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, start: string }>}
 *   `text` is null if it cannot be a result; `chunks` yields the whole stream; `start`: its first bytes as characters
 */
async function bufferJson(stream) {
  const iterator = stream[Symbol.asyncIterator]();
  /** @type {Uint8Array[]} */
  const buffered = [];
  let size = 0;
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
    buffered.push(next.value);
    size += next.value.length;
    if (!JSON_START.test(decoded(buffered[0].subarray(0, MAX_BLANKS))) || size > MAX_RESULT_SIZE) {
      const start = Buffer.from(buffered[0].subarray(0, MAX_BLANKS)).toString('latin1');
      return { text: null, chunks: resume(buffered, iterator), start };
    }
  }
  const text = decoded(Buffer.concat(buffered));
  return { text: buffered.length === 0 ? null : text, chunks: buffered, start: text.slice(0, MAX_BLANKS) };
}

/** @param {Uint8Array} bytes */
function decoded(bytes) {
  return new TextDecoder(encodingOf(bytes)).decode(bytes);
}

/**
 * @param {Uint8Array[]} buffered
 * @param {AsyncIterator<Uint8Array>} rest
 */
async function* resume(buffered, rest) {
  yield* buffered.splice(0);
  for (let next = await rest.next(); !next.done; next = await rest.next()) {
    yield next.value;
  }
}

/**
 * @param {string} file
 * @returns {Promise<{ result: Result, warnings: string[] } | null>} null for standard input, logs and unreadable files
 */
export async function readWholeResult(file) {
  const text = file === STANDARD_INPUT ? null : await readJson(file);
  const { result, warnings } = text === null ? { result: null, warnings: [] } : readResult(text, file);
  return result === null ? null : { result, warnings };
}

/**
 * @param {string} file
 * @returns {Promise<string | null>} null if it cannot be a result; its first bytes usually decide that
 */
async function readJson(file) {
  const status = await stat(file).catch(() => null);
  const handle = status?.isFile() ? await open(file).catch(() => null) : null;
  try {
    return handle && (await bufferJson(handle.createReadStream({ autoClose: false }))).text;
  } catch {
    return null;
  } finally {
    await handle?.close();
  }
}

/**
 * @param {string} file
 * @returns {Promise<string | null>} what overwriting would destroy: a log, or the result of a run; otherwise null
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

/** @param {string} file */
async function isLog(file) {
  const handle = await open(file).catch(() => null);
  let hasLogLines = false;
  if (handle !== null) {
    await readLines(handle.createReadStream({ end: CHUNK_SIZE - 1 }), () => (hasLogLines = true), file);
  }
  return hasLogLines;
}

/**
 * Finds log lines in a byte stream. Skips other lines, because people `tee` stderr into their logs. Lines can end with
 * LF or CRLF, and can follow a byte order mark.
 *
 * @param {AsyncIterable<Uint8Array> | Iterable<Uint8Array>} chunks UTF-8 or UTF-16
 * @param {(number: number, line: LogLine, source: string) => void} onLine gets line numbers from 1, and which of several
 *   logs in the file the line belongs to; not awaited, because that would take most of the time
 * @param {string} file for messages
 * @returns {Promise<number>} the number of bytes read
 * @throws {InputError} after MAX_FOREIGN bytes without a log line
 */
export async function readLines(chunks, onLine, file) {
  const unwrapper = new Unwrapper();
  /** @type {InstanceType<typeof TextDecoder> | null} */
  let decoder = null;
  let bytes = 0;
  let foreignFrom = 0;
  let number = 0;
  let unfinished = '';
  const add = (/** @type {string} */ text) => {
    number += 1;
    const unwrapped = unwrapper.unwrap(text);
    const line = unwrapped === null ? null : parseLine(unwrapped.text);
    if (unwrapped !== null && line !== null) {
      foreignFrom = bytes;
      onLine(number, line, unwrapped.source);
    }
  };
  for await (const chunk of chunks) {
    bytes += chunk.length;
    decoder ??= new TextDecoder(encodingOf(chunk));
    const text = unfinished + decoder.decode(chunk, { stream: true });
    let start = 0;
    // Splitting the whole chunk at once would hold all its lines in memory.
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      add(text.slice(start, end));
      start = end + 1;
    }
    // Beyond this length, an unfinished line cannot be a log line.
    unfinished = text.slice(start, start + MAX_WRAPPED_LENGTH);
    if (bytes - foreignFrom > MAX_FOREIGN) {
      throw new InputError(`${placeOf({ file, line: number + 1 })}: more than 1 GiB without a log line`);
    }
  }
  add(unfinished + (decoder?.decode() ?? ''));
  return bytes;
}

/**
 * @param {unknown} error
 * @throws {unknown} the error itself, unless it is from the operating system
 */
function systemReason(error) {
  const [code, description] = getSystemErrorMap().get(/** @type {NodeJS.ErrnoException} */ (error).errno ?? 0) ?? [];
  if (code === undefined) {
    throw error;
  }
  return `${description} (${code})`;
}

// Log lines as other programs store them: docker compose, kubectl, CI services, journald, ts and others put a time, a
// name or both before each line, and terminals add colours.

/** Characters. JSON may double the length of a line. */
const MAX_WRAPPED_LENGTH = 3 * MAX_LINE_LENGTH;

// eslint-disable-next-line no-control-regex
const ANSI = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[@-Z\\^_])/g;

const STAGE = '[A-Z][A-Za-z0-9-]{0,31}';
const STAGE_START = String.raw`${STAGE}: scheduling for |${STAGE} took \d+ms\. Peak ops `;
const SECOND = String.raw`\d\d:\d\d:\d\d: ${STAGE}: Ops `;

/** The start of a log line. */
const LOG_LINE = new RegExp(
  String.raw`# r2-benchmark (?=[^\s\w])|(?<![\w-])(?:${SECOND}|${STAGE_START}|Retrying on TRANSIENT error)`,
);

/** The parts of a prefix that differ between lines. */
const TIMES =
  /\d{4}-\d\d-\d\d|\d{1,2}:\d\d:\d\d(?:[.,]\d+)?|(?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} +\d{1,2}(?= )|\d+\.\d{3,}/g;

/** The lines by which a run or a stage begins. Only they can introduce a prefix: other programs may quote any line. */
const BEGINNING = /^(?:# r2-benchmark |[\w-]+: scheduling for )/;

/** Takes off what other programs have put around the lines of one file. */
class Unwrapper {
  /** Prefixes, without their times. */
  #sources = new Set();

  /**
   * @param {string} wrapped without a line feed
   * @returns {{ source: string, text: string } | null} `source`: which of several logs in the file the line belongs to;
   *   null if it is not a log line
   */
  unwrap(wrapped) {
    const line = shownText(messageIn(wrapped));
    const start = LOG_LINE.exec(line)?.index ?? -1;
    if (start < 0) {
      return null;
    }
    const [source, text] = [line.slice(0, start).replace(TIMES, '0'), line.slice(start)];
    // A file with unwrapped lines has no others.
    const mayBegin = source === '' || (!this.#sources.has('') && BEGINNING.test(text));
    if (!this.#sources.has(source) && !mayBegin) {
      return null;
    }
    this.#sources.add(source);
    return { source, text };
  }
}

/**
 * @param {string} line
 * @returns {string} the text in an object of Docker's json-file, journald, Fluent Bit or a cloud's logging; otherwise the
 *   line
 */
function messageIn(line) {
  if (!line.startsWith('{')) {
    return line;
  }
  try {
    const { log, message, MESSAGE, msg, textPayload } = JSON.parse(line);
    return String(log ?? message ?? MESSAGE ?? msg ?? textPayload).replace(/\n$/, '');
  } catch {
    return line;
  }
}

/** What a terminal would show in the end. @param {string} line */
function shownText(line) {
  const text = line.includes('\u001B') ? line.replace(ANSI, '') : line;
  return text.includes('\r') ? text.replace(/\r+$/, '').replace(/^.*\r/s, '') : text;
}
