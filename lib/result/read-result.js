import { checkResultBounds } from './input-bounds.js';
import { quote } from '../text/quote.js';
import { checkSchema, isObject } from './check-schema.js';
import { FORMAT } from './schema.js';

/**
 * @import { Result } from './result.js'
 *
 * @typedef {object} ReadResult
 * @property {boolean} isJson whether the text is JSON of any kind
 * @property {Result | null} result null if there are problems
 * @property {string[]} problems one line each, with the path of the field
 * @property {string[]} warnings about a later format
 */

/**
 * Reads output of `--json`, ignoring fields that only a later version knows.
 *
 * @param {string} text
 * @param {string} [file] for messages
 * @returns {ReadResult}
 * @throws {Error} if the text is larger than any result
 */
export function readResult(text, file = 'result') {
  checkResultBounds(file, text);
  /** @type {unknown} */
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    return { ...refused('expected JSON'), isJson: false };
  }
  if (!isObject(value) || !Number.isSafeInteger(value.format)) {
    return refused('expected a result: a JSON object with a number as its format');
  }
  if (typeof value.kind === 'string') {
    return refused(`expected the result of a run, got one of ${quote(value.kind)}`);
  }
  const format = Number(value.format);
  const problems = checkSchema(value);
  const result = problems.length > 0 ? null : /** @type {Result} */ (/** @type {unknown} */ (value));
  return { isJson: true, result, problems, warnings: laterFormat(format) };
}

/** Whether a value is a result, as functions of the library return it. @param {unknown} value */
export function isResult(value) {
  return checkSchema(value).length === 0;
}

/** @param {string} problem */
function refused(problem) {
  return { isJson: true, result: null, problems: [problem], warnings: [] };
}

/** @param {number} format */
function laterFormat(format) {
  return format > FORMAT
    ? [`format ${format}, expected at most ${FORMAT}: use the version of the tool that wrote it, or a later one`]
    : [];
}
