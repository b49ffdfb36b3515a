import { rounded } from './figures.js';
import { plainLine } from './plain-text.js';

/** @import { LogRecord } from './log-line.js' */

/** What one file may hold. No runs write as much: a file with more was made up, and would take gigabytes and minutes. */
const MAX = Object.freeze({
  runs: 1000,
  stages: 2000,
  seconds: 1_000_000,
  'machine lines': 200_000,
  'levels of nesting': 64,
  'hosts, stages or problems': 2000,
  values: 5_000_000,
});

/** Input that no run wrote. It is refused, and with it the files that it was to be added to. */
export class InputError extends Error {
  name = 'InputError';
}

/** Counts what a log holds, so that it is refused before it fills the memory. */
export class LogBounds {
  #file;
  #held = { runs: 0, stages: 0, seconds: 0, 'machine lines': 0 };
  /** Names of the stages of the current run. @type {Set<unknown>} */
  #stages = new Set();

  /** @param {string} file */
  constructor(file) {
    this.#file = file;
  }

  /**
   * @param {number} line
   * @param {LogRecord} record
   * @throws {InputError} if the log holds too much
   */
  add(line, record) {
    const isMachine = record.kind === 'machine';
    const { stage, kind } = /** @type {Record<string, unknown>} */ (isMachine ? record.data : record);
    const beginsAgain = kind === 'schedule' && this.#stages.has(stage);
    if (beginsAgain || (isMachine && kind === 'run')) {
      this.#stages.clear();
      this.#count('runs', line);
    }
    if (stage !== undefined && !this.#stages.has(stage)) {
      this.#stages.add(stage);
      this.#count('stages', line);
    }
    if (isMachine) {
      this.#count('machine lines', line);
    } else if (kind === 'second') {
      this.#count('seconds', line);
    }
  }

  /**
   * @param {'runs' | 'stages' | 'seconds' | 'machine lines'} what
   * @param {number} line
   */
  #count(what, line) {
    this.#held[what] += 1;
    checkCount(what, this.#held[what], this.#file, line);
  }
}

/**
 * Looks at a text before it is parsed: a small text can become a large value, and a deep one a stack overflow.
 *
 * @param {string} file
 * @param {string} text JSON, as far as anyone knows
 * @throws {InputError} if it holds too much
 */
export function checkResultBounds(file, text) {
  let [line, levels, entries, values] = [1, 0, 0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') {
      at = endOfString(text, at);
    } else if (character === '\n') {
      line += 1;
    } else if (character === '}' || character === ']') {
      levels -= 1;
    } else if (character === '{' || character === '[' || character === ',') {
      const opens = character !== ',';
      levels += opens ? 1 : 0;
      values += 1;
      // The whole is the first level, the lists of hosts and stages are in the second one.
      if (levels === 2) {
        entries = opens ? 1 : entries + 1;
      }
      checkCount('levels of nesting', levels, file, line);
      checkCount('hosts, stages or problems', entries, file, line);
      checkCount('values', values, file, line);
    }
  }
}

/**
 * @param {string} text
 * @param {number} start of a JSON string
 * @returns {number} where its closing quotation mark is
 */
function endOfString(text, start) {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') {
    at += text[at] === '\\' ? 2 : 1;
  }
  return at;
}

/**
 * @param {keyof typeof MAX} what
 * @param {number} count
 * @param {string} file
 * @param {number} line
 */
function checkCount(what, count, file, line) {
  if (count > MAX[what]) {
    throw new InputError(`${plainLine(file)}:${line}: more than ${rounded(MAX[what])} ${what} in one file`);
  }
}
