import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatErrors } from '../../lib/report/stage-findings.js';
import {
  CLOCK_SKEW,
  NOT_FOUND,
  NO_PORT,
  THROTTLED,
  classifyAnswer,
  classifyFailure,
  timeoutError,
} from '../../lib/store/s3-error.js';

/** Causes of each kind of failure. */
const ANSWERS = [
  ...[301, 401, 404, 418, 429, 500].map((status) => ({ status })),
  ...['NoSuchBucket', 'IncompleteBody', 'RequestTimeTooSkewed'].map((code) => ({ status: 400, code })),
];
const CODES = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'CERT_HAS_EXPIRED',
  'EPROTO',
  'HPE_INVALID',
  'EADDRNOTAVAIL',
  'ECONNRESET',
  'X',
];

/** @returns {string[]} all kinds of failed attempts */
function kinds() {
  const asFailure = (/** @type {string} */ code, context = {}) =>
    classifyFailure(Object.assign(new Error(code), { code }), {
      ...{ sent: true, answered: false, stale: false },
      ...context,
    });
  const errors = [
    ...ANSWERS.map((answer) => classifyAnswer({ ...answer, now: 0 })),
    ...CODES.map((code) => asFailure(code)),
    asFailure('ECONNRESET', { stale: true }),
    asFailure('ECONNRESET', { answered: true }),
    timeoutError(1000),
  ];
  return [...new Set(errors.map(({ kind }) => kind)), 'abandoned', 'integrity', 'others'];
}

test('every kind of error has its own words', () => {
  const all = kinds();
  assert.ok(
    [CLOCK_SKEW, NO_PORT, NOT_FOUND, THROTTLED].every((kind) => all.includes(kind)),
    all.join(', '),
  );
  assert.equal(all.length, 23);
  const words = all.map((kind) => formatErrors({ [kind]: 7 }).replace(/ 7$/, ''));
  assert.equal(new Set(words).size, all.length);
  assert.ok(!words.join().includes('-'), words.join());
});

test('an unknown kind is shown as it is, and no errors as none', () => {
  assert.equal(
    formatErrors({ SlowDown: 3, constructor: 1, 'unknown kind': 2 }),
    'SlowDown 3, constructor 1, unknown kind 2',
  );
  assert.equal(formatErrors({}), 'none');
});
