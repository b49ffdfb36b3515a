import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { concealer } from '../../lib/s3/conceal.js';
import { startCpuTime } from '../helpers/cpu-time.js';

/** @type {Record<string, (text: string) => string>} */
const ESCAPES = {
  'as it is': (text) => text,
  'as JSON writes it': (text) => JSON.stringify(text).slice(1, -1),
  'as a URL holds it': encodeURIComponent,
  'as XML holds it': (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
  'as a page holds it': (text) =>
    text.replace(/[^0-9A-Za-z]/g, (character) => `&#x${character.charCodeAt(0).toString(16)};`),
};

const printable = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)) });

/** Long enough not to be a part of anything else. */
const secret = fc.tuple(fc.constant('q'), printable, fc.constant('Zq0Zq0Zq0Zq0Zq0')).map((parts) => parts.join(''));

for (const [how, escape] of Object.entries(ESCAPES)) {
  test(`no secret is left in a text, ${how}`, () => {
    fc.assert(
      fc.property(secret, secret, secret, printable, (accessKeyId, secretAccessKey, sessionToken, other) => {
        const conceal = concealer({ accessKeyId, secretAccessKey, sessionToken });
        const text = `${other} ${escape(sessionToken)} ${other} ${escape(secretAccessKey)} ${escape(accessKeyId)}`;
        assert.equal(conceal(text), `${other} [secret] ${other} [secret] [secret]`);
      }),
    );
  });
}

test('a secret that is cut, or has something behind it, is known by its beginning', () => {
  const conceal = concealer({ accessKeyId: 'key', secretAccessKey: 'a-secret-key', sessionToken: 'q'.repeat(5000) });
  assert.equal(conceal(`a ${'q'.repeat(100)}… b`), 'a [secret] b');
  assert.equal(conceal('"a-secret-key", b'), '"[secret] b');
});

test('a text without a secret stays what it is', () => {
  const conceal = concealer({ accessKeyId: 'key', secretAccessKey: 'a.secret', sessionToken: 'short' });
  assert.equal(conceal('a-secret is short'), 'a-secret is short');
  const named = concealer({ accessKeyId: 'benchmark', secretAccessKey: 'a-secret-key' });
  assert.equal(named('no such key: benchmark/run-1/abc'), 'no such key: benchmark/run-1/abc');
  assert.equal(concealer({ accessKeyId: 'key', secretAccessKey: '' })('a text'), 'a text');
});

test('a token of kilobytes is looked for in no time', () => {
  const conceal = concealer({
    accessKeyId: 'key',
    secretAccessKey: 'a-secret-key',
    sessionToken: '/+=&%'.repeat(1000),
  });
  const cpuTime = startCpuTime();
  conceal('/+=&'.repeat(100_000));
  conceal('&amp;%2F'.repeat(100_000));
  assert.ok(cpuTime() < 5000, `${cpuTime()}ms`);
});
