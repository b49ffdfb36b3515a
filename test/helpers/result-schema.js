import { Ajv2020 } from 'ajv/dist/2020.js';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { isHistogram } from '../../lib/result/histogram.js';
import { resultOf } from '../../lib/result/result-of-run.js';
import { writeResult } from '../../lib/result/write-result.js';

const FILE = new URL('../../lib/result/result.schema.json', import.meta.url);

export const RESULT_SCHEMA = JSON.parse(readFileSync(FILE, 'utf8'));

const OPTIONS = {
  strict: true,
  allowUnionTypes: true,
  keywords: ['x-unit', 'x-add', 'x-key', 'x-order'],
  formats: { 'hdr-histogram': isHistogram },
};

/** Returns a validator of the published schema, which allows fields of later versions. */
export function compileSchema() {
  return new Ajv2020(OPTIONS).compile(RESULT_SCHEMA);
}

/** Compiled when it is first used: that takes longer than most of the tests that import this file. */
let fitsExactly = /** @type {ReturnType<typeof compileSchema> | undefined} */ (undefined);

/**
 * The schema is open to additions of later versions, but must contain everything that this version writes.
 *
 * @param {any} schema
 * @returns {any} the schema with additional fields forbidden in each object
 */
function closed(schema) {
  if (typeof schema !== 'object' || schema === null) {
    return schema;
  }
  if (Array.isArray(schema)) {
    return schema.map(closed);
  }
  const parts = Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, closed(part)]));
  // A schema that another part extends is closed there, with the fields of both.
  const { counters, facts, rate, wayFigures } = RESULT_SCHEMA.$defs;
  const isBase = [counters, facts, rate, wayFigures].includes(schema);
  const hasFields = schema.type === 'object' || schema.$ref !== undefined;
  return hasFields && schema.properties !== undefined && !isBase ? { ...parts, unevaluatedProperties: false } : parts;
}

/**
 * @param {unknown} value
 * @returns {any} the value
 * @throws {AssertionError} if it does not match the schema, or has a field that the schema does not know
 */
export function assertResult(value) {
  fitsExactly ??= new Ajv2020({ ...OPTIONS, allErrors: true }).compile(closed(RESULT_SCHEMA));
  const isRight = fitsExactly(value);
  const problems = (fitsExactly.errors ?? []).map(({ instancePath, message, params }) => {
    return `${instancePath || 'the whole value'} ${message} ${JSON.stringify(params)}`;
  });
  assert.ok(isRight, `the result does not match its schema:\n${problems.slice(0, 10).join('\n')}`);
  return value;
}

/**
 * @param {string} text output of --json
 * @returns {any}
 */
export function resultFrom(text) {
  return assertResult(JSON.parse(text));
}

/**
 * @param {any} run finished, with the parts that a test needs
 * @returns {string} output of --json
 */
export function jsonOf(run) {
  return [...writeResult(resultOf({ problems: [], cleanup: null, crash: null, ...run }))].join('');
}

/**
 * @param {string} text
 * @returns {boolean} whether it looks like a result in JSON
 */
export function isResult(text) {
  return /^\{\s*"format"/.test(text) && text.includes('"requests"');
}
