import { Ajv2020 } from 'ajv/dist/2020.js';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resultOf } from '../../lib/model/result-of-run.js';
import { writeResult } from '../../lib/model/write-result.js';

const FILE = new URL('../../lib/model/result.schema.json', import.meta.url);

export const RESULT_SCHEMA = JSON.parse(readFileSync(FILE, 'utf8'));

const OPTIONS = { strict: true, allowUnionTypes: true, keywords: ['x-unit'] };

/** What fits the schema as it is published: with fields of later versions, too. */
export const fits = new Ajv2020(OPTIONS).compile(RESULT_SCHEMA);

const fitsExactly = new Ajv2020({ ...OPTIONS, allErrors: true }).compile(closed(RESULT_SCHEMA));

/**
 * The schema is open for what later versions add. What this version writes has to stand in it.
 *
 * @param {any} schema
 * @returns {any} in which each object with fields has no others
 */
function closed(schema) {
  if (typeof schema !== 'object' || schema === null) {
    return schema;
  }
  if (Array.isArray(schema)) {
    return schema.map(closed);
  }
  const parts = Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, closed(part)]));
  // What another part stands on is closed there, with the fields of both.
  const { counters, facts, rate, wayFigures } = RESULT_SCHEMA.$defs;
  const isBase = [counters, facts, rate, wayFigures].includes(schema);
  const hasFields = schema.type === 'object' || schema.$ref !== undefined;
  return hasFields && schema.properties !== undefined && !isBase ? { ...parts, unevaluatedProperties: false } : parts;
}

/**
 * @param {unknown} value
 * @returns {any} the value
 * @throws {AssertionError} where it is not what the schema says, or has a field that it does not know
 */
export function assertResult(value) {
  const isRight = fitsExactly(value);
  const problems = (fitsExactly.errors ?? []).map(({ instancePath, message, params }) => {
    return `${instancePath || 'the whole'} ${message} ${JSON.stringify(params)}`;
  });
  assert.ok(isRight, `the schema of the result says:\n${problems.slice(0, 10).join('\n')}`);
  return value;
}

/**
 * @param {string} text that --json wrote
 * @returns {any}
 */
export function resultFrom(text) {
  return assertResult(JSON.parse(text));
}

/**
 * @param {any} run that is over, or as much of it as a test needs
 * @returns {string} what --json writes of it
 */
export function jsonOf(run) {
  return [...writeResult(resultOf({ problems: [], cleanup: null, crash: null, ...run }))].join('');
}

/**
 * @param {string} text
 * @returns {boolean} whether it is JSON that says it is a result
 */
export function isResult(text) {
  return /^\{\s*"format"/.test(text) && text.includes('"requests"');
}
