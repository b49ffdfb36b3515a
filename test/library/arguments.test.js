import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError, assertThresholds, compare, merge, readResults, run, writeReport } from '../../lib/index.js';

/** Calls with what no type allows. @type {Record<string, any>} */
const untyped = { assertThresholds, compare, merge, readResults, run, writeReport };

const LOCAL = { store: 'local', objects: 5, threads: 1 };
const STORE = { endpoint: 'http://127.0.0.1:1', bucket: 'bucket-a' };

/** @param {unknown} credentials */
function withCredentials(credentials) {
  return { ...LOCAL, store: { ...STORE, credentials } };
}

const KEYS = { accessKeyId: 'an-id', secretAccessKey: 'a-secret' };
const RESULT = 'result: expected a result of run, merge or readResults';
const NO_DATE = 'store.credentials: expected the expiration of the credentials to be a valid date';

for (const [name, given, problems] of /** @type {[string, unknown[], (string | RegExp)[]][]} */ ([
  ['merge', [], ['inputs: expected an array of results or paths']],
  ['merge', ['x'], ['inputs: expected an array of results or paths']],
  ['merge', [[null]], ['inputs: expected an array of results or paths']],
  ['readResults', [], ['file: expected a path']],
  ['writeReport', [{}], [RESULT]],
  ['writeReport', [{ stages: [{}] }], [RESULT]],
  ['compare', [null, null], ['before: expected a result or a path', 'after: expected a result or a path']],
  ['assertThresholds', [null, 'errors == 0'], [RESULT]],
  ['run', [{ ...LOCAL, startAt: new Date(NaN) }], [/^startAt: expected .*, got "?Invalid Date/]],
  ['run', [LOCAL, null], ['context: expected an object']],
  ['run', [LOCAL, { signal: 5 }], ['signal: expected an AbortSignal']],
  [
    'run',
    [LOCAL, { on: 5, signals: 1 }],
    ['on: expected an object', /^signals: expected one of signal, on, env, ownsProcess, invocation/],
  ],
  [
    'run',
    [withCredentials(() => Promise.reject(null))],
    ['store.credentials: expected credentials, but their source failed without an Error'],
  ],
  ['run', [withCredentials({ ...KEYS, expiration: new Date(NaN) })], [NO_DATE]],
  ['run', [withCredentials(async () => ({ ...KEYS, expiration: 'soon' }))], [NO_DATE]],
])) {
  test(`${name}(${given.map((each) => JSON.stringify(each)).join(', ')}) states what was expected: ${problems}`, async () => {
    const error = await (async () => untyped[name](...given))().catch((failure) => failure);
    assert.ok(error instanceof UsageError, String(error));
    assert.equal(error.problems.length, problems.length, error.message);
    problems.forEach((problem, index) =>
      typeof problem === 'string'
        ? assert.equal(error.problems[index], problem)
        : assert.match(error.problems[index], problem),
    );
  });
}
