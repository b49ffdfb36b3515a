import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainText } from '../../lib/text/plain-text.js';
import { WITHHELD, keepNames, keepSecrets, keptSecrets, redact } from '../../lib/text/redact.js';
import { cases } from '../helpers/cases.js';
import { startCpuTime } from '../helpers/cpu-time.js';

/** This many consecutive characters of a secret must not appear. */
const PIECE = 8;

/** @type {Record<string, (text: string) => string>} */
const ENCODINGS = {
  'as it is': (text) => text,
  'percent-encoded': (text) => encodeURIComponent(text),
  'percent-encoded throughout': (text) => Buffer.from(text).toString('hex').replace(/../g, '%$&'),
  'as JSON': (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
  'as JSON, throughout': (text) => each(text, (code) => `\\u${code.toString(16).padStart(4, '0')}`),
  'as XML': (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
  'as XML in decimal references': (text) => each(text, (code) => `&#${code};`),
  'as XML in hexadecimal references': (text) => each(text, (code) => `&#x00${code.toString(16)};`),
  'in base64': (text) => Buffer.from(text).toString('base64'),
  'in base64 after one character': (text) => Buffer.from(`:${text}`).toString('base64'),
  'in base64 after two characters': (text) => Buffer.from(`::${text}`).toString('base64url'),
};

/** @param {string} text @param {(code: number) => string} write */
function each(text, write) {
  return Array.from(text, (character) => write(character.charCodeAt(0))).join('');
}

/** The only secrets from now on. @param {...string} secrets */
function keepOnly(...secrets) {
  keepSecrets({ secrets }, keepOnly);
}

const printable = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
const secret = fc.string({ unit: printable, minLength: PIECE, maxLength: 60 });
const text = fc.string({ unit: fc.oneof(printable, fc.constantFrom(...'%\\&;# ')), maxLength: 60 });
const encoding = fc.constantFrom(...Object.values(ENCODINGS));

/** @param {string} shown @param {string} whole */
function showsPiece(shown, whole) {
  return Array.from(whole).some(
    (_, start) => start + PIECE <= whole.length && shown.includes(whole.slice(start, start + PIECE)),
  );
}

test('a text with eight characters of a secret is withheld, wherever the secret is cut, and however it is encoded', () => {
  fc.assert(
    fc.property(secret, text, text, encoding, fc.nat(), fc.nat(), (whole, before, after, encode, from, length) => {
      keepOnly(whole);
      const start = from % (whole.length - PIECE + 1);
      const piece = whole.slice(start, start + PIECE + (length % (whole.length - start - PIECE + 1)));
      const given = `${before}<${encode(piece)}>${after}`;
      assert.equal(redact(given), WITHHELD, given);
      assert.ok(!showsPiece(plainText(given, Infinity), whole));
    }),
    { numRuns: cases(2000) },
  );
});

test('a text without a piece of a secret is shown as it is', () => {
  fc.assert(
    fc.property(secret, fc.string({ unit: 'binary', maxLength: 200 }), (whole, given) => {
      fc.pre(!showsPiece(given, whole));
      keepOnly(whole);
      assert.equal(redact(given), given);
    }),
    { numRuns: cases(2000) },
  );
  keepOnly('Zq0+/a/secret=', '', 'abc');
  assert.equal(redact('Zq0+/a/ and abc, a/secre'), 'Zq0+/a/ and abc, a/secre');
});

test('a secret of four to seven characters is matched as a whole', () => {
  fc.assert(
    fc.property(fc.string({ unit: printable, minLength: 4, maxLength: 7 }), encoding, (whole, encode) => {
      keepOnly(whole);
      assert.equal(redact(`no <${encode(whole)}> here`), WITHHELD);
    }),
  );
  keepOnly('hunter2');
  assert.equal(redact('user:hunter2@proxy'), WITHHELD);
  assert.equal(redact('user:hunter@proxy'), 'user:hunter@proxy');
});

test('pieces of names that messages show anyway reveal nothing', () => {
  keepOnly('my-bucket-password', 'minio');
  keepNames(['my-bucket-1', 'minio.example.com']);
  assert.equal(redact('no my-bucket-1 at minio.example.com'), 'no my-bucket-1 at minio.example.com');
  assert.equal(redact('no my-bucket-p'), WITHHELD);
});

test('a secret that was given as the access key ID is withheld from sixteen characters', () => {
  keepSecrets({ secrets: [], ids: ['0123456789abcdef', 'benchmark'] }, keepOnly);
  assert.equal(redact('no key 01234567…'), WITHHELD);
  assert.equal(redact('no such key: benchmark/run-1/abc'), 'no such key: benchmark/run-1/abc');
});

test('searches a long text for a long secret quickly, whatever their content', () => {
  for (const piece of ['/+=&%', '%', '%25', '\\', '\\\\/', '&amp;', '&#38;', '%26%23', 'ab', 'A', '0']) {
    const cpuTime = startCpuTime();
    keepOnly(piece.repeat(100), piece.repeat(1000));
    plainText(piece.repeat(1_000_000 / piece.length));
    redact(`${`${piece}x`.repeat(1000)}`);
    assert.ok(cpuTime() < 2000, `${piece}: ${cpuTime()}ms`);
  }
});

test('keeps the secrets of several holders until each is replaced, here and in another thread', () => {
  keepOnly();
  const [one, other] = [{}, {}];
  keepSecrets({ secrets: ['password-of-a-proxy'] });
  keepSecrets({ secrets: ['token-aaaaaaaa'] }, one);
  keepSecrets({ secrets: ['token-aaaaaaaa'] }, other);
  keepSecrets({ secrets: ['token-bbbbbbbb'] }, one);
  assert.ok(['aaaaaaaa', 'bbbbbbbb', 'password'].every((piece) => redact(piece) === WITHHELD));
  keepSecrets({ secrets: [] }, other);
  assert.equal(redact('aaaaaaaa'), 'aaaaaaaa');
  assert.deepEqual(keptSecrets().secrets, ['password-of-a-proxy', 'token-bbbbbbbb']);
});

test('a text is withheld before it is cut for display', () => {
  keepOnly('a-secret-key');
  assert.equal(plainText('no a%2Dsecret%2Dkey here', 8), WITHHELD);
  assert.equal(plainText(`${'x'.repeat(195)}a-secret-key`), WITHHELD);
});
