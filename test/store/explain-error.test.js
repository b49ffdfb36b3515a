import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIRST_ACTION, explainError } from '../../lib/store/explain-error.js';
import { classifyAnswer, classifyFailure, timeoutError } from '../../lib/store/s3-error.js';

/** @import { AttemptError } from '../../lib/store/s3-error.js' */

const NOW = Date.parse('2026-01-31T12:00:00Z');
const STORE = { hostname: 'store.test', port: 443, useTls: true };
const PLACE = { store: STORE, buckets: ['photos'], action: 'read', now: NOW };

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

/** The explanation of an error, and the text that it must contain. @type {[AttemptError, RegExp[]][]} */
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
  [failed('CERT_HAS_EXPIRED'), [/^the certificate of store\.test is not valid \(/, /this host's clock/]],
  [failed('CERT_REVOKED'), [/is not valid \(/, /another certificate$/]],
  [failed('ERR_SSL_WRONG_VERSION_NUMBER'), [/TLS/, /store\.test:443/, /S3_PORT/, /S3_USE_SSL=0/]],
  [answered(403, 'QuotaExceeded'), [/^read failed because bucket "photos" on store\.test or the account is full/]],
  [answered(403, 'SignatureDoesNotMatch'), [/S3_SECRET_KEY/, /Host header store\.test and the path \/photos\/…/]],
  [answered(400, 'ExpiredTokenException'), [/check S3_SESSION_TOKEN/]],
  [failed('ENOTFOUND'), [/store\.test does not resolve/, /S3_HOSTNAME/]],
  [
    failed('ECONNREFUSED'),
    [/^read in bucket "photos" on store\.test:443 got no response/, /ECONNREFUSED/, /--timeout/],
  ],
  [answered(400, 'InvalidRequest'), [/read in bucket "photos" on store\.test:443 failed/, /InvalidRequest/]],
];

for (const [error, expected] of EXPLANATIONS) {
  test(`a line about ${error.kind} ${error.code} shows what happened and what can be done`, () => {
    const line = explainError(error, PLACE);
    expected.forEach((pattern) => assert.match(line, pattern));
    assert.ok(!line.includes('\n'));
  });
}

test('no certificate authority is suggested if none would help', () => {
  for (const code of ['ERR_TLS_CERT_ALTNAME_INVALID', 'CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'CERT_REVOKED']) {
    assert.doesNotMatch(explainError(failed(code), PLACE), /NODE_EXTRA_CA_CERTS/);
  }
});

test('Row 3: a wrong clock is reported with its offset from the Date header', () => {
  const behind = explainError(answered(403, 'RequestTimeTooSkewed', 'Sat, 31 Jan 2026 12:20:00 GMT'), PLACE);
  assert.match(behind, /clock is 1200s behind the store's/);
  const ahead = explainError(answered(403, 'RequestTimeTooSkewed', 'Sat, 31 Jan 2026 11:00:00 GMT'), PLACE);
  assert.match(ahead, /clock is 3600s ahead of the store's/);
  assert.match(explainError(answered(403, 'RequestTimeTooSkewed'), PLACE), /did not send its time/);
});

test('a connection counts as missing only if the first request got no answer', () => {
  for (const error of [failed('ECONNREFUSED'), timeoutError(500)]) {
    assert.match(
      explainError(error, { ...PLACE, action: FIRST_ACTION }),
      /^no connection to store\.test:443 \(.*(ECONNREFUSED|500ms).*\): check S3_HOSTNAME and S3_PORT/,
    );
    assert.match(explainError(error, PLACE), /^read in bucket "photos" on store\.test:443 got no response/);
  }
});

test('a slow response is distinguished from no response', () => {
  const error = timeoutError(500, 2 ** 20);
  assert.equal(
    explainError(error, PLACE),
    'read in bucket "photos" on store.test:443 took too long (no complete response within 500ms, with 1.0 MiB of its object: try a longer --timeout)',
  );
});

test('plain HTTP is suggested only for a server that does not speak TLS', () => {
  const eproto = (/** @type {string} */ reason) =>
    classifyFailure(
      Object.assign(new Error(`write EPROTO 80FC:error:0A0:SSL routines:ssl3_read_bytes:${reason}:../ssl.c:1605:`), {
        code: 'EPROTO',
      }),
      { sent: true, answered: false, stale: false },
    );
  for (const error of [
    failed('ERR_SSL_UNSUPPORTED_PROTOCOL'),
    failed('ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE'),
    failed('ERR_SSL_DH_KEY_TOO_SMALL'),
    failed('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'),
    eproto('tlsv1 alert protocol version'),
  ]) {
    assert.match(explainError(error, PLACE), /TLS version or ciphers are too old, or it requires a client certificate/);
    assert.doesNotMatch(explainError(error, PLACE), /plain HTTP/);
  }
  for (const error of [failed('ERR_SSL_WRONG_VERSION_NUMBER'), eproto('wrong version number')]) {
    assert.match(explainError(error, PLACE), /: check S3_PORT; use S3_USE_SSL=0 for plain HTTP$/);
  }
  assert.match(explainError(eproto('wrong version number'), PLACE), /\(wrong version number \(EPROTO\)\)/);
});

test('TLS is suggested only if the first request without it meets a page or a closed connection', () => {
  const plain = { ...PLACE, store: { ...STORE, useTls: false }, action: FIRST_ACTION };
  const page = classifyAnswer({ status: 400, message: 'an HTTP request to an HTTPS server', now: NOW });
  const advice = /: the port may expect TLS: check S3_USE_SSL$/;
  assert.match(explainError(page, plain), /HTTP 400 an HTTP request to an HTTPS server\)/);
  assert.match(explainError(page, plain), advice);
  assert.match(explainError(failed('ECONNRESET'), plain), advice);
  assert.doesNotMatch(explainError(answered(400, 'InvalidRequest'), plain), advice);
  assert.doesNotMatch(explainError(page, { ...plain, store: STORE }), advice);
  assert.doesNotMatch(explainError(page, { ...plain, action: 'read' }), advice);
});

test('with virtual-hosted addressing, a bucket that is not found names --addressing path and the host', () => {
  const place = { ...PLACE, store: { ...STORE, addressing: /** @type {const} */ ('virtual') } };
  for (const error of [answered(404, 'NoSuchBucket'), answered(404, ''), failed('ENOTFOUND')]) {
    assert.match(explainError(error, place), /photos\.store\.test.*; if the store expects .* use --addressing path$/);
    assert.doesNotMatch(explainError(error, PLACE), /--addressing/);
  }
});

test('several buckets are named in one line', () => {
  const line = explainError(answered(404, 'NoSuchBucket'), { ...PLACE, buckets: ['photos', 'films'] });
  assert.match(line, /"photos", "films"/);
});
