import { checkResultBounds } from './input-bounds.js';
import { quote } from '../text/quote.js';
import { checkSchema, isObject } from './check-schema.js';
import { FORMAT, propertiesOf, SCHEMA } from './schema.js';

/**
 * @import { Result } from './result.js'
 *
 * @typedef {object} ReadResult
 * @property {boolean} isJson whether the text is JSON of any kind
 * @property {Result | null} result null if there are problems
 * @property {string[]} problems one line each, with the path of the field
 * @property {string[]} warnings about a later format
 *
 * @typedef {Record<string, any>} Json an unvalidated object
 */

const MAX_LISTED = 8;

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
  const value = parse(text);
  if (value === undefined) {
    return { ...refused('expected JSON'), isJson: false };
  }
  if (!isObject(value) || !Number.isSafeInteger(value.format)) {
    return refused('expected a result: a JSON object with a number as its format');
  }
  if (typeof value.kind === 'string') {
    return refused(`expected the result of a run, got one of ${quote(value.kind)}`);
  }
  const format = Number(value.format);
  const problems = checkSchema(value, SCHEMA);
  const result = problems.length > 0 ? null : /** @type {Result} */ (/** @type {unknown} */ (value));
  return { isJson: true, result, problems: firstOf(problems), warnings: laterFormat(format) };
}

/** Whether a value is a result, as functions of the library return it. @param {unknown} value */
export function isResult(value) {
  return checkSchema(value, SCHEMA).length === 0;
}

/** @param {string} text */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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

/** @param {readonly string[]} problems */
function firstOf(problems) {
  const more = problems.length - MAX_LISTED;
  return more > 0 ? [...problems.slice(0, MAX_LISTED), `${more} more problems like these`] : [...problems];
}

/**
 * Checks the fields of a record one by one, and keeps the valid ones even if others are invalid.
 *
 * @param {Json} fields
 * @param {object} schema of the record, part of the result's schema
 * @returns {{ fitting: Json, problems: string[] }} `fitting`: the valid fields, without those that are not in the schema
 */
export function readFields(fields, schema) {
  const properties = propertiesOf(schema);
  const known = Object.entries(fields).filter(([name]) => Object.hasOwn(properties, name));
  const checked = known.map(([name, value]) => ({
    field: [name, value],
    problems: checkSchema({ [name]: value }, SCHEMA, { properties }),
  }));
  return {
    fitting: Object.fromEntries(checked.flatMap(({ field, problems }) => (problems.length === 0 ? [field] : []))),
    problems: checked.flatMap(({ problems }) => problems),
  };
}
