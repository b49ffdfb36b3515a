import { quote } from '../text/quote.js';

/**
 * @typedef {object} Findings
 * @property {string[]} problems one line each, with the path of the field
 * @property {Set<string>} unknown paths, without list indices, of fields that are not in the schema
 *
 * @typedef {{ [keyword: string]: any }} Schema
 */

const MAX_PROBLEMS = 1000;

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
 * Validates a value against a JSON Schema. Supports only the keywords in result.schema.json.
 *
 * @param {unknown} value
 * @param {Schema} root the whole schema
 * @param {Schema} [schema] the part of it that describes the value
 */
export function checkSchema(value, root, schema = root) {
  /** @type {Findings} */
  const findings = { problems: [], unknown: new Set() };
  check({ value, path: '', kind: '' }, schema, root, findings);
  return findings;
}

/**
 * @param {{ value: unknown, path: string, kind: string }} location `path` includes list indices, `kind` does not
 * @param {Schema} schema
 * @param {Schema} root
 * @param {Findings} findings
 * @param {Schema} [derived] the schema that extends this one
 */
function check(location, schema, root, findings, derived = schema) {
  if (findings.problems.length >= MAX_PROBLEMS) {
    return;
  }
  const { value, path } = location;
  const expected = mismatch(value, schema);
  if (expected !== null) {
    findings.problems.push(`${path === '' ? 'the whole value' : path}: expected ${expected}, got ${shown(value)}`);
    return;
  }
  if (schema.$ref !== undefined) {
    check(location, resolve(schema.$ref, root), root, findings, derived);
  }
  if (schema.anyOf !== undefined) {
    checkAlternatives(location, schema.anyOf, root, findings);
  }
  if (Array.isArray(value) && schema.items !== undefined) {
    value.forEach((item, index) => {
      check({ value: item, path: `${path}[${index}]`, kind: `${location.kind}[]` }, schema.items, root, findings);
    });
  }
  if (isObject(value)) {
    checkFields(location, value, { schema, root, derived }, findings);
  }
}

/**
 * @param {{ value: unknown, path: string, kind: string }} location
 * @param {readonly Schema[]} alternatives one of which must match; otherwise the problems of the first are reported
 * @param {Schema} root
 * @param {Findings} findings
 */
function checkAlternatives(location, alternatives, root, findings) {
  const tried = alternatives.map((alternative) => {
    /** @type {Findings} */
    const own = { problems: [], unknown: new Set() };
    check(location, alternative, root, own);
    return own;
  });
  const { problems, unknown } = tried.find((each) => each.problems.length === 0) ?? tried[0];
  findings.problems.push(...problems);
  unknown.forEach((name) => findings.unknown.add(name));
}

/**
 * @param {{ path: string, kind: string }} location
 * @param {Record<string, unknown>} value
 * @param {{ schema: Schema, root: Schema, derived: Schema }} expected
 * @param {Findings} findings
 */
function checkFields({ path, kind }, value, { schema, root, derived }, findings) {
  const at = (/** @type {string} */ name) => (path === '' ? name : `${path}.${name}`);
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(value, name)) {
      findings.problems.push(`${at(name)}: expected a value, got none`);
    }
  }
  for (const [name, field] of Object.entries(value)) {
    const own = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties[name] : schema.additionalProperties;
    const fieldKind = kind === '' ? name : `${kind}.${name}`;
    if (own !== undefined) {
      check({ value: field, path: at(name), kind: fieldKind }, own, root, findings);
    } else if (schema.properties !== undefined && !isKnown(name, derived, root)) {
      findings.unknown.add(fieldKind);
    }
    if (schema.propertyNames !== undefined && !isLike(name, schema.propertyNames.pattern)) {
      findings.problems.push(`${path}: expected a valid field name, got ${shown(name)}`);
    }
  }
}

/**
 * @param {string} name of a field
 * @param {Schema} schema
 * @param {Schema} root
 * @returns {boolean} whether the schema, or a schema that it extends, has the field
 */
function isKnown(name, { properties, $ref }, root) {
  return Object.hasOwn(properties ?? {}, name) || ($ref !== undefined && isKnown(name, resolve($ref, root), root));
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

/**
 * @param {string} reference `#/$defs/name`
 * @param {Schema} root
 * @returns {Schema}
 */
function resolve(reference, root) {
  return reference
    .split('/')
    .slice(1)
    .reduce((schema, name) => schema[name], root);
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
