import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readResult } from '../../lib/result/read-result.js';
import { cases } from '../helpers/cases.js';
import { compileSchema } from '../helpers/result-schema.js';
import { anyResult, resultOf } from './model-results.js';

/** @param {unknown} value */
function read(value) {
  return readResult(JSON.stringify(value));
}

/** @param {(result: any) => void} change */
function changed(change) {
  const result = structuredClone(resultOf());
  change(result);
  return result;
}

/** @type {[string, string, RegExp][]} */
const NO_RESULTS = [
  ['nothing', '', /^expected JSON$/],
  ['a text that is cut short', JSON.stringify(resultOf()).slice(0, -9), /^expected JSON$/],
  ['another JSON', '{"format":"x"}', /^expected a result: a JSON object/],
  ['a list', '[]', /^expected a result: a JSON object/],
];

for (const [name, text, expected] of NO_RESULTS) {
  test(`rejects ${name} as not a result`, () => {
    const { result, problems } = readResult(text);
    assert.equal(result, null);
    assert.match(problems.join('\n'), expected);
  });
}

/** @type {[string, (result: any) => void, string][]} */
const PROBLEMS = [
  [
    'a count that is not exact',
    (result) => (result.stages[0].attempts = 1e300),
    'stages[0].attempts: expected at most 9007199254740991, got "1e+300"',
  ],
  ['a missing field', (result) => delete result.stages[0].errors, 'stages[0].errors: expected a value, got none'],
  [
    'a name with control characters',
    (result) => (result.hosts[0].host = 'a\u001b[2J'),
    'hosts[0].host: expected a string like ',
  ],
  [
    'an invalid time',
    (result) => (result.stages[0].seconds[1].secondStart = 1e15),
    'stages[0].seconds[1].secondStart: expected at most 7258118400, got "1000000000000000"',
  ],
  [
    'an invalid error kind',
    (result) => (result.stages[0].errors = { 'a\nb': 1 }),
    'stages[0].errors: expected a valid field name',
  ],
  ['a list for an object', (result) => (result.stages[0] = []), 'stages[0]: expected an object, got "[]"'],
];

for (const [name, change, expected] of PROBLEMS) {
  test(`reports ${name} with its path, and uses nothing of the result`, () => {
    const { result, problems } = read(changed(change));
    assert.equal(result, null);
    assert.equal(problems.length, 1, problems.join('\n'));
    assert.ok(problems[0].startsWith(expected), problems[0]);
  });
}

test('reports the first of many problems', () => {
  const { problems } = read(changed((result) => (result.problems = Array.from({ length: 20 }, () => 7))));
  assert.deepEqual(
    problems,
    Array.from({ length: 8 }, (_, index) => `problems[${index}]: expected a string, got "7"`),
  );
});

const fits = compileSchema();

const anyJson = fc.jsonValue({ maxDepth: 3 });

/** Replaces something in a result. */
const damaged = fc
  .tuple(anyResult, fc.array(fc.nat(), { minLength: 1, maxLength: 6 }), fc.oneof(anyJson, fc.constant(undefined)))
  .map(([result, path, value]) => {
    const whole = structuredClone(result);
    let place = whole;
    for (const step of path) {
      const names = Object.keys(place);
      const name = names[step % Math.max(names.length, 1)];
      const next = place[name];
      if (typeof next !== 'object' || next === null || step === path.at(-1)) {
        place[name] = value;
        break;
      }
      place = next;
    }
    return JSON.parse(JSON.stringify(whole));
  });

test('rejects a result exactly if the published schema does', () => {
  fc.assert(
    fc.property(damaged, (value) => {
      const { problems } = read(value);
      const isOurs = typeof value?.format === 'number' && Number.isSafeInteger(value.format) && value.format >= 3;
      if (isOurs) {
        assert.equal(problems.length === 0, fits(value), `${problems.join('\n')} ${JSON.stringify(fits.errors)}`);
      }
    }),
    { numRuns: cases(500) },
  );
});

test('reading any file ends with a line for each problem', () => {
  fc.assert(
    fc.property(fc.oneof(anyJson, damaged), fc.constantFrom(0, 1, 2, 3, 4), (value, format) => {
      const whole = typeof value === 'object' && value !== null ? { ...value, format, problems: [] } : value;
      const { result, problems } = read(whole);
      assert.equal(result === null, problems.length > 0);
      assert.ok(problems.every((problem) => !/\p{Cc}/u.test(problem)));
    }),
    { numRuns: cases(300) },
  );
});
