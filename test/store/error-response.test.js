import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainText } from '../../lib/text/plain-text.js';
import { parseErrorBody, parseRetryAfter } from '../../lib/store/s3-error.js';
import { startCpuTime } from '../helpers/cpu-time.js';

const NOW = Date.parse('2026-01-31T12:00:00Z');

/** Far more than a linear reading takes, far less than a quadratic one. */
const MAX_CPU_MS = 2000;

test('Retry-After is read as seconds or a date, and anything else, or one in the past, asks for nothing', () => {
  for (const [value, milliseconds] of /** @type {const} */ ([
    ['0', 0],
    ['30', 30_000],
    [' 120 ', 120_000],
    ['99999999999', 99_999_999_999_000],
    ['9'.repeat(500), Number.MAX_SAFE_INTEGER],
    ['Sat, 31 Jan 2026 12:00:07 GMT', 7000],
    ['Sat, 31 Jan 2026 11:59:00 GMT', 0],
  ])) {
    assert.equal(parseRetryAfter(value, NOW), milliseconds, value);
  }
  for (const value of ['', ' ', 'soon', '-5', '1.5', '1e3', '0x10', '7;', 'foo 3000', 'NaN', '٣', '\u0000', null]) {
    assert.equal(parseRetryAfter(value, NOW), 0, JSON.stringify(value));
  }
  fc.assert(
    fc.property(fc.string(), (value) => {
      const milliseconds = parseRetryAfter(value, NOW);
      assert.ok(Number.isFinite(milliseconds) && milliseconds >= 0);
    }),
  );
});

test('of a body that is not S3’s, the title, the message or the first words are shown', () => {
  for (const [body, words] of [
    ['Client sent an HTTP request to an HTTPS server.', 'Client sent an HTTP request to an HTTPS server.'],
    [
      '<html><head><title>400 No required SSL certificate was sent</title></head><body>x</body></html>',
      'No required SSL certificate was sent',
    ],
    ['<!DOCTYPE html>\n<HTML><TITLE lang="en">\n Sign\n in </TITLE>', 'Sign in'],
    ['<title> </title><h1>502</h1>\n<p>Bad&#32;gateway</p>', 'Bad gateway'],
    ['{"code":7,"message":"no \\"such\\" host"}', 'no \\"such\\" host'],
    ['', ''],
    ['<Error><Code>SlowDown</Code></Error>', ''],
  ]) {
    assert.equal(parseErrorBody(body).message, words, body);
  }
});

test('the code, the message and the request id of an error are read from its body', () => {
  const body =
    '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code><Message>The key does not exist.</Message><Region>auto</Region><RequestId>1A2B</RequestId></Error>';
  assert.deepEqual(parseErrorBody(body), {
    code: 'NoSuchKey',
    message: 'The key does not exist.',
    requestId: '1A2B',
  });
});

test('what XML has to write otherwise is read as it was meant', () => {
  const body =
    '<Error><Code>X</Code><Message>expecting &#39;auto&#39; &lt;&#x41;&amp;lt;&gt; &quot;&apos; &none; &1 & &#1234567;</Message></Error>';
  assert.equal(parseErrorBody(body).message, `expecting 'auto' <A&lt;> "' &none; &1 & \ufffd`);
});

test('a body that is not such XML gives its words, or what can be found in it', () => {
  const nothing = { code: '', message: '', requestId: '' };
  for (const [body, message] of [
    ['', ''],
    ['oops', 'oops'],
    ['<html><body>502 Bad Gateway</body></html>', 'Bad Gateway'],
    ['{"Code":"NoSuchKey"}', '{"Code":"NoSuchKey"}'],
    ['<Code>', ''],
    ['\u0000', '\u0000'],
  ]) {
    assert.deepEqual(parseErrorBody(body), { ...nothing, message }, body);
  }
  assert.deepEqual(parseErrorBody('<Error><Code>SlowDown</Code><Message>Please redu'), {
    ...nothing,
    code: 'SlowDown',
  });
  assert.deepEqual(parseErrorBody('<Error><Code>NoSuchK'), nothing);
  assert.equal(parseErrorBody('<Error><Code>a b</Code></Error>').code, '');
  assert.equal(parseErrorBody(`<Error><Code>${'a'.repeat(65)}</Code></Error>`).code, '');
  assert.equal(parseErrorBody('<Reply><Error><Code>Inner</Code></Error></Reply>').code, 'Inner');
});

test('hostile bodies are read in linear time', () => {
  const million = 1_000_000;
  const bodies = [
    '<Code>'.repeat(million),
    '<Message>'.repeat(million),
    `<Code>${'a'.repeat(million)}`,
    `<Message>${'</Messag'.repeat(million)}`,
    '<Error>'.repeat(million) + '</Error>'.repeat(million),
    `${'<Code>aaaa</Cod'.repeat(million)}`,
    '<'.repeat(million),
  ];
  for (const body of bodies) {
    const cpuTime = startCpuTime();
    const { message } = parseErrorBody(body);
    plainText(message);
    assert.ok(cpuTime() < MAX_CPU_MS, `${body.slice(0, 20)}… took ${cpuTime()}ms`);
  }
});
