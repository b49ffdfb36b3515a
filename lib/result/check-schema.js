import { quote } from '../text/quote.js';
import { isHistogram } from './histogram.js';
import { resolved, SCHEMA } from './schema.js';

/** @import { Schema } from './schema.js' */

/** Values of a kind are usually all wrong in the same way. */
const MAX_PROBLEMS = 8;

/** Names of JSON types in messages. @type {Readonly<Record<string, string>>} */
const TYPES = {
  integer: 'a whole number',
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

/**
 * Validates a value against a JSON Schema. Supports only the keywords in result.schema.json. Accepts fields that are not
 * in the schema.
 *
 * @param {unknown} value
 * @param {Schema} [schema] a part of the schema of results; the whole by default
 * @returns {string[]} the first problems, one line each, with the path of the field
 */
export function checkSchema(value, schema = SCHEMA) {
  /** @type {string[]} */
  const problems = [];
  check({ value, path: '' }, schema, problems);
  return problems;
}

/**
 * @param {{ value: unknown, path: string }} location
 * @param {Schema} schema
 * @param {string[]} problems
 */
function check({ value, path }, schema, problems) {
  if (problems.length >= MAX_PROBLEMS) {
    return;
  }
  const expected = mismatch(value, schema);
  if (expected !== null) {
    problems.push(`${path === '' ? 'the whole value' : path}: expected ${expected}, got ${shown(value)}`);
    return;
  }
  if (schema.$ref !== undefined) {
    check({ value, path }, resolved({ $ref: schema.$ref }), problems);
  }
  if (schema.anyOf !== undefined) {
    // One of the alternatives must match; otherwise the problems of the first are reported.
    const tried = schema.anyOf.map((/** @type {Schema} */ alternative) => {
      /** @type {string[]} */
      const own = [];
      check({ value, path }, alternative, own);
      return own;
    });
    problems.push(...(tried.find((/** @type {string[]} */ own) => own.length === 0) ?? tried[0]));
  }
  if (Array.isArray(value) && schema.items !== undefined) {
    value.forEach((item, index) => check({ value: item, path: `${path}[${index}]` }, schema.items, problems));
  }
  if (isObject(value)) {
    checkFields(path, value, schema, problems);
  }
}

/**
 * @param {string} path
 * @param {Record<string, unknown>} value
 * @param {Schema} schema
 * @param {string[]} problems
 */
function checkFields(path, value, schema, problems) {
  const at = (/** @type {string} */ name) => (path === '' ? name : `${path}.${name}`);
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(value, name)) {
      problems.push(`${at(name)}: expected a value, got none`);
    }
  }
  for (const [name, field] of Object.entries(value)) {
    const own = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties[name] : schema.additionalProperties;
    if (own !== undefined) {
      check({ value: field, path: at(name) }, own, problems);
    }
    if (schema.propertyNames !== undefined && !isLike(name, schema.propertyNames.pattern)) {
      problems.push(`${path}: expected a valid field name, got ${shown(name)}`);
    }
  }
}

/**
 * @param {unknown} value
 * @param {Schema} schema
 * @returns {string | null} what was expected of the value, apart from its items and fields; null if it matches
 */
function mismatch(value, schema) {
  if (schema.enum !== undefined && !schema.enum.includes(value)) {
    return schema.enum.map((/** @type {unknown} */ each) => JSON.stringify(each)).join(', ');
  }
  if (schema.type !== undefined && !isOfType(value, schema.type)) {
    const types = [schema.type].flat().map((type) => TYPES[type]);
    return types.join(' or ');
  }
  if (typeof value === 'number' && value < (schema.minimum ?? -Infinity)) {
    return `at least ${schema.minimum}`;
  }
  if (typeof value === 'number' && value > (schema.maximum ?? Infinity)) {
    return `at most ${schema.maximum}`;
  }
  if (typeof value === 'string' && isLonger(value, schema.maxLength ?? Infinity)) {
    return `at most ${schema.maxLength} characters`;
  }
  if (typeof value === 'string' && schema.pattern !== undefined && !isLike(value, schema.pattern)) {
    return `a string like ${schema.pattern}`;
  }
  if (typeof value === 'string' && schema.format === 'hdr-histogram' && !isHistogram(value)) {
    return 'an HdrHistogram of whole microseconds with counts below 2^53';
  }
  return null;
}

/**
 * @param {unknown} value
 * @param {string | readonly string[]} type
 * @returns {boolean}
 */
function isOfType(value, type) {
  if (typeof type !== 'string') {
    return type.some((each) => isOfType(value, each));
  }
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'null':
      return value === null;
    case 'object':
      return isObject(value);
    default:
      return typeof value === type;
  }
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
export function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Cached because compiling a pattern takes longer than using it. @type {Map<string, RegExp>} */
const patterns = new Map();

/**
 * @param {string} text
 * @param {string} pattern
 */
function isLike(text, pattern) {
  const compiled = patterns.get(pattern) ?? new RegExp(pattern, 'u');
  patterns.set(pattern, compiled);
  return compiled.test(text);
}

/**
 * @param {string} text
 * @param {number} characters code points, as in a schema
 */
function isLonger(text, characters) {
  return text.length > characters && [...text].length > characters;
}

/** @param {unknown} value */
function shown(value) {
  return quote(typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing'));
}
