import { MAX_LINE_LENGTH } from './lines.js';

// Log lines as other programs store them: docker compose, kubectl, CI services, journald, ts and others put a time, a
// name or both before each line, and terminals add colours.

/** Characters. JSON may double the length of a line. */
export const MAX_WRAPPED_LENGTH = 3 * MAX_LINE_LENGTH;

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
export class Unwrapper {
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
