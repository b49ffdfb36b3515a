import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProtocolError } from '../../lib/store/http/response-parser.js';
import { WITHHELD, keepSecrets } from '../../lib/text/redact.js';
import { AttemptError, classifyAnswer, classifyFailure, detailsOf, timeoutError } from '../../lib/store/s3-error.js';

const NOW = Date.parse('2026-01-31T12:00:00Z');
const SENT = { sent: true, answered: false, stale: false };

/** The errors of R2 and S3, and how they are handled. */
const ANSWERS = /** @type {const} */ ([
  [401, 'Unauthorized', 'denied', 'stop'],
  [403, 'AccessDenied', 'denied', 'stop'],
  [403, 'SignatureDoesNotMatch', 'denied', 'stop'],
  [403, 'InvalidAccessKeyId', 'denied', 'stop'],
  [403, 'NotEntitled', 'denied', 'stop'],
  [400, 'AuthorizationHeaderMalformed', 'denied', 'stop'],
  [403, 'RequestTimeTooSkewed', 'clock-skew', 'stop'],
  [404, 'NoSuchBucket', 'no-bucket', 'stop'],
  [400, 'InvalidBucketName', 'no-bucket', 'stop'],
  [301, 'PermanentRedirect', 'redirect', 'stop'],
  [307, 'TemporaryRedirect', 'redirect', 'stop'],
  [304, '', 'protocol', 'fail'],
  [404, 'NoSuchKey', 'not-found', 'fail'],
  [403, 'InvalidObjectState', 'archived', 'fail'],
  [400, 'ExpiredToken', 'denied', 'stop'],
  [400, 'ExpiredTokenException', 'denied', 'stop'],
  [400, 'TokenRefreshRequired', 'denied', 'stop'],
  [400, 'RequestExpired', 'denied', 'stop'],
  [400, 'InvalidContinuationToken', 'client-error', 'fail'],
  [403, 'QuotaExceeded', 'full', 'stop'],
  [403, 'TotalSizeExceeded', 'full', 'stop'],
  [400, 'XMinioAdminBucketQuotaExceeded', 'full', 'stop'],
  [507, 'XMinioStorageFull', 'full', 'stop'],
  [413, 'InsufficientStorage', 'full', 'stop'],
  [503, 'RequestQuotaExceeded', 'throttled', 'retry'],
  [412, 'PreconditionFailed', 'client-error', 'fail'],
  [400, 'InvalidRequest', 'client-error', 'fail'],
  [400, 'EntityTooLarge', 'client-error', 'fail'],
  [405, 'MethodNotAllowed', 'client-error', 'fail'],
  [411, 'MissingContentLength', 'client-error', 'fail'],
  [501, 'NotImplemented', 'server-error', 'fail'],
  [500, 'InternalError', 'server-error', 'retry'],
  [502, '', 'server-error', 'retry'],
  [504, '', 'server-error', 'retry'],
  [520, '', 'server-error', 'retry'],
  [524, '', 'server-error', 'retry'],
  [529, '', 'server-error', 'retry'],
  [503, 'ServiceUnavailable', 'throttled', 'retry'],
  [503, 'SlowDown', 'throttled', 'retry'],
  [429, 'TooManyRequests', 'throttled', 'retry'],
  [429, 'TooMuchConcurrency', 'throttled', 'retry'],
  [400, 'ClientDisconnect', 'incomplete-request', 'retry'],
  [400, 'IncompleteBody', 'incomplete-request', 'retry'],
  [400, 'BadDigest', 'incomplete-request', 'retry'],
  [400, 'RequestTimeout', 'incomplete-request', 'retry'],
  // An answer to a HEAD has no code.
  [401, '', 'denied', 'stop'],
  [403, '', 'denied', 'stop'],
  [404, '', 'not-found', 'fail'],
  [400, '', 'client-error', 'fail'],
  [408, '', 'client-error', 'fail'],
  [429, '', 'throttled', 'retry'],
  [500, '', 'server-error', 'retry'],
  [501, '', 'server-error', 'fail'],
  [503, '', 'throttled', 'retry'],
]);

/** Answers that show why the request was not carried out. */
const EXCLUDES =
  /^(301|307|401|403|404 NoSuchBucket|405|411|501 NotImplemented|400 (Auth|Bad|Expired|Token|RequestExp|Invalid(?!Cont)|Entity|IncompleteBody))/;

for (const [status, code, kind, handling] of ANSWERS) {
  test(`the answer ${status} ${code} is counted as ${kind}, and the handling is ${handling}`, () => {
    const error = classifyAnswer({ status, code, message: 'Told so.', now: NOW });
    assert.deepEqual([error.kind, error.handling, error.status, error.code], [kind, handling, status, code]);
    assert.equal(error.message, code === '' ? `HTTP ${status} Told so.` : `HTTP ${status} ${code}: Told so.`);
    assert.equal(error.outcomeUnknown, !EXCLUDES.test(`${status} ${code}`), 'it may have been carried out');
  });
}

test('a store that is full reports it in its own words, and its other refusals are not taken for that', () => {
  const kindOf = (/** @type {string} */ message) =>
    classifyAnswer({ status: 403, code: 'AccessDenied', message, now: NOW }).kind;
  for (const message of [
    'Cannot upload files, storage cap exceeded.',
    'Your account has reached its storage quota.',
    'Not enough storage space',
    'The bucket is full.',
    'Capacity limit exceeded',
    'Storage limit reached',
  ]) {
    assert.equal(kindOf(message), 'full', message);
  }
  for (const message of [
    'Access Denied.',
    'Your proposed upload exceeds the maximum allowed size',
    'Not in full scope',
  ]) {
    assert.equal(kindOf(message), 'denied', message);
  }
});

test('500 of R2 is an overload without ceasing to be an error of the server, and of no other store', () => {
  const overloads = ANSWERS.filter(
    ([status, code]) => classifyAnswer({ status, code, isR2: true, now: NOW }).isOverload,
  );
  assert.deepEqual(
    overloads.map(([status, code]) => [status, code]),
    [
      [500, 'InternalError'],
      [500, ''],
    ],
  );
  for (const code of ['InternalError', '']) {
    const answer = { status: 500, code, now: NOW };
    const { isOverload, ...ofR2 } = detailsOf(classifyAnswer({ ...answer, isR2: true }));
    const { isOverload: isOverloadElsewhere, ...elsewhere } = detailsOf(classifyAnswer(answer));
    assert.deepEqual([isOverload, isOverloadElsewhere], [true, false]);
    assert.deepEqual(ofR2, elsewhere, 'it is tried again, and named, as ever');
  }
});

test('a message with a secret is withheld, but never the status, a known code or the request id', () => {
  keepSecrets({ secrets: ['a-secret-key', 'SlowDown', 'ASecretCode'] }, test);
  const message = 'got a-secret-key';
  for (const [code, requestId, shown] of [
    ['SlowDown', '4f-0A=', `HTTP 503 SlowDown: ${WITHHELD}: request 4f-0A=`],
    ['ASecretCode', '', `HTTP 503 ${WITHHELD}: ${WITHHELD}`],
    ['SlowDown', 'a-secret-key', `HTTP 503 SlowDown: ${WITHHELD}: request ${WITHHELD}`],
    ['', 'no id', `HTTP 503 ${WITHHELD}`],
  ]) {
    assert.equal(classifyAnswer({ status: 503, code, message, requestId, now: NOW }).message, shown);
  }
  keepSecrets({ secrets: [] }, test);
});

test('every status and code whatever has a kind and a handling', () => {
  const code = fc.oneof(fc.string(), fc.constantFrom('constructor', '__proto__', 'toString', 'hasOwnProperty'));
  fc.assert(
    fc.property(fc.integer({ min: 300, max: 599 }), code, fc.string(), (status, anyCode, message) => {
      const error = classifyAnswer({ status, code: anyCode, message, now: NOW });
      assert.ok(error instanceof AttemptError);
      assert.ok(['retry', 'fail', 'stop'].includes(error.handling));
      assert.match(error.kind, /^[a-z-]+$/);
    }),
  );
});

test('an error in the body of a success is one of the server, and retried, unless its code differs', () => {
  const { kind, handling, message } = classifyAnswer({
    status: 200,
    code: 'InternalError',
    message: 'Sorry.',
    now: NOW,
  });
  assert.deepEqual([kind, handling], ['server-error', 'retry']);
  assert.equal(message, 'HTTP 200 with an error in its body: InternalError: Sorry.');
  assert.equal(classifyAnswer({ status: 200, code: 'SlowDown', now: NOW }).kind, 'throttled');
});

test('the Date header has the server’s time, and an invalid one is ignored', () => {
  const date = 'Sat, 31 Jan 2026 11:40:00 GMT';
  assert.equal(classifyAnswer({ status: 403, date, now: NOW }).serverTime, NOW - 20 * 60_000);
  assert.equal(classifyAnswer({ status: 403, date: 'yesterday', now: NOW }).serverTime, 0);
  assert.equal(classifyAnswer({ status: 403, now: NOW }).serverTime, 0);
});

/** What transports throw, by its code. */
const FAILURES = /** @type {const} */ ([
  ['ECONNREFUSED', 'connect', 'retry'],
  ['EHOSTUNREACH', 'connect', 'retry'],
  ['ENETUNREACH', 'connect', 'retry'],
  ['EADDRNOTAVAIL', 'no-port', 'retry'],
  ['EMFILE', 'connect', 'retry'],
  ['ERR_CONNECT_TIMEOUT', 'connect', 'retry'],
  ['ENOTFOUND', 'name', 'retry'],
  ['EAI_AGAIN', 'name', 'retry'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate', 'retry'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'certificate', 'retry'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate', 'retry'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'certificate', 'retry'],
  ['CERT_HAS_EXPIRED', 'certificate', 'retry'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate', 'retry'],
  ['EPROTO', 'tls', 'retry'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls', 'retry'],
  ['ECONNRESET', 'connection', 'retry'],
  ['EPIPE', 'connection', 'retry'],
  ['ETIMEDOUT', 'connection', 'retry'],
  ['HPE_INVALID_CONSTANT', 'protocol', 'retry'],
  ['EWHATEVER', 'other', 'retry'],
]);

for (const [code, kind, handling] of FAILURES) {
  test(`a transport’s ${code} is counted as ${kind}, and the handling is ${handling}`, () => {
    const failure = Object.assign(new Error('it broke'), { code, syscall: 'connect' });
    const error = classifyFailure(failure, SENT);
    assert.deepEqual([error.kind, error.handling, error.code, error.status], [kind, handling, code, 0]);
    assert.equal(error.message, `it broke (${code})`);
  });
}

test('a route that goes under a request leaves it open whether it was carried out', () => {
  for (const code of ['EHOSTUNREACH', 'ENETUNREACH']) {
    const lost = Object.assign(new Error('it broke'), { code, syscall: 'read' });
    const { kind, sent, outcomeUnknown } = classifyFailure(lost, SENT);
    assert.deepEqual([kind, sent, outcomeUnknown], ['connection', true, true]);
    assert.equal(classifyFailure(lost, { ...SENT, sent: false }).outcomeUnknown, false);
  }
});

test('a connection that ends in mid-answer has truncated it', () => {
  const error = Object.assign(new Error('the other side closed it'), { code: 'ECONNRESET' });
  assert.equal(classifyFailure(error, { ...SENT, answered: true }).kind, 'truncated');
  assert.equal(classifyFailure(error, { ...SENT, answered: true, stale: true }).staleConnection, false);
});

test('a kept-alive connection that ends without an answer was stale', () => {
  const error = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  const stale = classifyFailure(error, { ...SENT, stale: true });
  assert.deepEqual([stale.kind, stale.staleConnection, stale.handling], ['stale-connection', true, 'retry']);
  const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  assert.equal(classifyFailure(refused, { ...SENT, stale: true }).staleConnection, false);
});

test('an answer that is not HTTP is an error of the protocol, which shows what is wrong', () => {
  const { kind, code, handling, message } = classifyFailure(new ProtocolError('a header has no name'), SENT);
  assert.deepEqual([kind, code, handling, message], ['protocol', 'ProtocolError', 'retry', 'a header has no name']);
});

test('a request that never had a connection cannot have been carried out', () => {
  const outcomes = ['ECONNREFUSED', 'ENOTFOUND', 'CERT_HAS_EXPIRED', 'ECONNRESET', 'EPIPE', 'HPE_INVALID_CONSTANT'].map(
    (code) => classifyFailure(Object.assign(new Error('it broke'), { code }), SENT).outcomeUnknown,
  );
  assert.deepEqual(outcomes, [false, false, false, true, true, true]);
  const error = Object.assign(new Error('it broke'), { code: 'ECONNRESET' });
  assert.equal(classifyFailure(error, { ...SENT, sent: false }).outcomeUnknown, false);
});

test('whatever is thrown is an attempt’s error in the end', () => {
  const thrown = [
    null,
    undefined,
    'text',
    7,
    {},
    new Error(''),
    { code: 23 },
    new DOMException('over', 'TimeoutError'),
  ];
  for (const value of thrown) {
    const error = classifyFailure(value, SENT);
    assert.ok(error instanceof AttemptError);
    assert.equal(error.handling, 'retry');
    assert.equal(typeof error.code, 'string');
  }
});

test('an attempt’s error stays as it is', () => {
  const error = timeoutError(500);
  assert.equal(classifyFailure(error, { sent: false, answered: true, stale: true }), error);
  assert.deepEqual([error.kind, error.handling, error.outcomeUnknown], ['timeout', 'retry', true]);
  assert.match(error.message, /500ms/);
});

test('an attempt whose object was on the way when its time was over names --timeout, and how far it was', () => {
  const error = timeoutError(500, 3 * 1024 ** 2);
  assert.equal(error.message, 'no complete response within 500ms, with 3.0 MiB of its object: try a longer --timeout');
  assert.deepEqual([error.kind, error.wasMoving, detailsOf(error).wasMoving], ['timeout', true, true]);
  const silent = timeoutError(500, 64 * 1024);
  assert.deepEqual([silent.message, silent.wasMoving], ['no complete response within 500ms', false]);
});

test('the text of a store is shown on one short line, without control characters', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 400, unit: 'binary' }), (message) => {
      const error = classifyAnswer({ status: 500, code: 'InternalError', message: `x${message}`, now: NOW });
      assert.ok(error.message.length <= 'HTTP 500 InternalError: '.length + 201, String(error.message.length));
      // eslint-disable-next-line no-control-regex
      assert.doesNotMatch(error.message, /[\u0000-\u001f\u007f-\u009f]/);
    }),
  );
  const { message } = classifyFailure(new Error(`first\nsecond\u001b[31m${'x'.repeat(1000)}`), SENT);
  assert.ok(message.startsWith('first second'));
  assert.ok(message.length <= 201);
});
