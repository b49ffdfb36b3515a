import { rounded } from '../text/figures.js';
import { plainLine } from '../text/plain-text.js';

/** Limits per file. No run writes more: a larger file is forged, and reading it would take gigabytes and minutes. */
const MAX = Object.freeze({
  runs: 1000,
  stages: 2000,
  seconds: 1_000_000,
  'machine lines': 200_000,
  'levels of nesting': 64,
  'hosts, stages or problems': 2000,
  values: 5_000_000,
});

/** Input that no run can have written. The whole merge is rejected. */
export class InputError extends Error {
  name = 'InputError';
}

/**
 * Scans a text before it is parsed, as a small text can expand to a large value, and nesting can overflow the stack.
 *
 * @param {string} file
 * @param {string} text presumably JSON
 * @throws {InputError} if it exceeds a limit
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
      // The whole value is level 1; the lists of hosts and stages are in level 2.
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
 * @returns {number} offset of its closing quotation mark
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
 * @throws {InputError} if it exceeds the limit
 */
export function checkCount(what, count, file, line) {
  if (count > MAX[what]) {
    throw new InputError(`${plainLine(file)}:${line}: more than ${rounded(MAX[what])} ${what} in one file`);
  }
}
