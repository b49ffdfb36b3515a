import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIRST_ACTION, explainError } from '../../lib/s3/explain-error.js';
import { classifyAnswer, classifyFailure, timeoutError } from '../../lib/s3/s3-error.js';

/** @import { AttemptError } from '../../lib/s3/s3-error.js' */

const NOW = Date.parse('2026-01-31T12:00:00Z');
const PLACE = { hostname: 'store.test', port: 443, buckets: ['photos'], action: 'read', now: NOW };

/**
 * @param {number} status
 * @param {string} code
 * @param {string | null} [date]
 */
function answered(status, code, date = null) {
  return classifyAnswer({ status, code, message: 'Told so.', date, now: NOW });
}

/** @param {string} code */
function failed(code) {
  const error = Object.assign(new Error('it broke'), { code });
  return classifyFailure(error, { sent: true, answered: false, stale: false });
}

/** What is said of an error, and what has to be in it. @type {[AttemptError, RegExp[]][]} */
const EXPLANATIONS = [
  [
    answered(403, 'AccessDenied'),
    [/"photos"/, /read/, /refused/, /S3_ACCESS_KEY/, /S3_SECRET_KEY/, /AccessDenied: Told so/],
  ],
  [answered(404, 'NoSuchBucket'), [/no bucket "photos"/, /read/, /store\.test/, /S3_BUCKET/]],
  [answered(301, 'PermanentRedirect'), [/store\.test redirects/, /S3_HOSTNAME/]],
  [failed('DEPTH_ZERO_SELF_SIGNED_CERT'), [/certificate of store\.test is not trusted/, /NODE_EXTRA_CA_CERTS/]],
  [failed('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), [/is not trusted/, /NODE_EXTRA_CA_CERTS/]],
  [failed('ERR_TLS_CERT_ALTNAME_INVALID'), [/^the certificate of store\.test is for another host/, /S3_HOSTNAME$/]],
  [failed('CERT_HAS_EXPIRED'), [/^the certificate of store\.test has expired/, /this host's clock/]],
  [failed('CERT_NOT_YET_VALID'), [/is not valid yet/, /this host's clock/]],
  [failed('CERT_REVOKED'), [/is not valid \(/, /another one$/]],
  [failed('EPROTO'), [/TLS/, /store\.test:443/, /S3_PORT/, /S3_USE_SSL=0/]],
  [failed('ENOTFOUND'), [/store\.test does not resolve/, /S3_HOSTNAME/]],
  [
    failed('ECONNREFUSED'),
    [/^read in bucket "photos" on store\.test:443 got no response/, /ECONNREFUSED/, /--timeout/],
  ],
  [answered(400, 'InvalidRequest'), [/read in bucket "photos" on store\.test:443 failed/, /InvalidRequest/]],
];

for (const [error, expected] of EXPLANATIONS) {
  test(`a line about ${error.kind} ${error.code} says what happened and what can be done`, () => {
    const line = explainError(error, PLACE);
    expected.forEach((pattern) => assert.match(line, pattern));
    assert.ok(!line.includes('\n'));
  });
}

test('no authority is asked for where none would help', () => {
  for (const code of ['ERR_TLS_CERT_ALTNAME_INVALID', 'CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'CERT_REVOKED']) {
    assert.doesNotMatch(explainError(failed(code), PLACE), /NODE_EXTRA_CA_CERTS/);
  }
});

test('a wrong clock is told with its offset, as the Date header has it', () => {
  const behind = explainError(answered(403, 'RequestTimeTooSkewed', 'Sat, 31 Jan 2026 12:20:00 GMT'), PLACE);
  assert.match(behind, /clock is 1200s behind the store's/);
  const ahead = explainError(answered(403, 'RequestTimeTooSkewed', 'Sat, 31 Jan 2026 11:00:00 GMT'), PLACE);
  assert.match(ahead, /clock is 3600s ahead of the store's/);
  assert.match(explainError(answered(403, 'RequestTimeTooSkewed'), PLACE), /did not send its time/);
});

test('only where the first request got no answer is there no connection', () => {
  for (const error of [failed('ECONNREFUSED'), timeoutError(500)]) {
    assert.match(
      explainError(error, { ...PLACE, action: FIRST_ACTION }),
      /^no connection to store\.test:443 \(.*(ECONNREFUSED|500ms).*\): check S3_HOSTNAME and S3_PORT/,
    );
    assert.match(explainError(error, PLACE), /^read in bucket "photos" on store\.test:443 got no response/);
  }
});

test('what took too long is told apart from what got no answer', () => {
  const error = timeoutError(500, { direction: 'sent', bytes: 2 ** 20, total: 2 ** 22 });
  assert.equal(
    explainError(error, PLACE),
    'read in bucket "photos" on store.test:443 took too long (no complete response within 500ms, with 1.0 of 4.0 MiB sent: try a longer --timeout)',
  );
});

test('several buckets are named in one line', () => {
  const line = explainError(answered(404, 'NoSuchBucket'), { ...PLACE, buckets: ['photos', 'films'] });
  assert.match(line, /"photos", "films"/);
});
