import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainText } from '../../lib/text/plain-text.js';
import { keepSecrets, keptSecrets, redact as redactKnown } from '../../lib/text/redact.js';
import { cases } from '../helpers/cases.js';
import { startCpuTime } from '../helpers/cpu-time.js';

/** This many consecutive characters of a secret must not appear. */
const WINDOW = 8;

/** @type {Record<string, (character: string) => string>} */
const SPELLINGS = {
  'as it is': (character) => character,
  'in upper case': (character) => character.toUpperCase(),
  'in lower case': (character) => character.toLowerCase(),
  'with a backslash': (character) => (/[0-9A-Za-z]/.test(character) ? character : `\\${character}`),
  'as JSON escapes it': (character) => `\\u${hexadecimal(character).padStart(4, '0')}`,
  'as JavaScript escapes it': (character) => `\\u{${hexadecimal(character)}}`,
  'as Python escapes it': (character) => `\\x${hexadecimal(character)}`,
  'percent-encoded': (character) => `%${hexadecimal(character)}`,
  'percent-encoded twice': (character) => `%25${hexadecimal(character).toUpperCase()}`,
  'percent-encoded three times': (character) => `%2525${hexadecimal(character)}`,
  'as a decimal reference': (character) => `&#${character.charCodeAt(0)};`,
  'as a hexadecimal reference with zeros': (character) => `&#x000${hexadecimal(character)};`,
  'as a named reference': (character) => NAMED[character] ?? character,
  'as a reference, percent-encoded': (character) => `%26%23x${hexadecimal(character)}%3B`,
  'as a reference in a reference': (character) => `&amp;#x${hexadecimal(character)};`,
  'percent-encoded in JSON': (character) => `\\u0025${hexadecimal(character)}`,
  'as JSON in JSON': (character) => (/[0-9A-Za-z]/.test(character) ? character : `\\\\\\${character}`),
  'with + as a blank': (character) => (character === '+' ? ' ' : character),
};

/** @type {Record<string, string>} */
const NAMED = {
  '/': '&sol;',
  '+': '&plus;',
  '=': '&equals;',
  '&': '&amp;',
  '<': '&lt;',
  '"': '&quot;',
  '%': '&percnt;',
};

/** @param {{ accessKeyId: string, secretAccessKey: string, sessionToken?: string }} credentials the only ones from now on */
function redactor({ accessKeyId, secretAccessKey, sessionToken = '' }) {
  keepSecrets({ secrets: [secretAccessKey, sessionToken], ids: [accessKeyId] }, redactor);
  return redactKnown;
}

/** @param {string} character */
function hexadecimal(character) {
  return character.charCodeAt(0).toString(16).padStart(2, '0');
}

const characters = fc.oneof(
  fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  fc.constantFrom(...'/+=%&\\;#xu20fF5cC'),
);
const printable = fc.string({ unit: characters, maxLength: 30 });
const secret = fc.string({ unit: characters, minLength: WINDOW, maxLength: 60 });
const spelling = fc.constantFrom(...Object.values(SPELLINGS));

/** A secret, and how each of its characters is spelled: all alike, or each differently. */
const spelledSecret = secret.chain((whole) =>
  fc.tuple(
    fc.constant(whole),
    fc.oneof(
      spelling.map((one) => Array.from(whole, () => one)),
      fc.array(spelling, { minLength: whole.length, maxLength: whole.length }),
    ),
    fc.nat({ max: whole.length - WINDOW }),
    fc.nat(),
  ),
);

test('removes any eight characters of a secret, wherever it is cut, however each is spelled', () => {
  fc.assert(
    fc.property(spelledSecret, secret, ([whole, spellings, start, cut], sessionToken) => {
      const redact = redactor({ accessKeyId: 'key', secretAccessKey: whole, sessionToken });
      const end = start + WINDOW + (cut % (whole.length - start - WINDOW + 1));
      const part = Array.from(whole.slice(start, end), (character, place) => spellings[place](character)).join('');
      assert.match(redact(`<${part}>`), /^.{0,6}\[secret\].{0,6}$/s, part);
    }),
    { numRuns: cases(2000) },
  );
});

test('removes a whole secret, and keeps the text around it', () => {
  const redact = redactor({ accessKeyId: 'key', secretAccessKey: 'Zq0+/a/secret=', sessionToken: 'q'.repeat(5000) });
  assert.equal(redact(`a ${'q'.repeat(100)}… b`), 'a [secret]… b');
  assert.equal(redact('"Zq0+/a/secret=", b'), '"[secret]", b');
  assert.equal(redact('a Zq0%2B%2fa%252Fsecret%3D b'), 'a [secret] b');
  assert.equal(redact('/a/secret= and Zq0 /A/SEC, (/a/secr'), '[secret] and [secret], (/a/secr');
  assert.equal(redact('Zq0+/a/secret=Zq0+/a/secret='), '[secret]');
});

test('also detects a secret in hexadecimal digits or base64', () => {
  fc.assert(
    fc.property(secret, printable, fc.constantFrom('hex', 'base64', 'base64url'), (whole, other, encoding) => {
      const redact = redactor({ accessKeyId: 'key', secretAccessKey: whole });
      const encoded = Buffer.from(`${other}${whole}`).toString(/** @type {BufferEncoding} */ (encoding));
      const shown = redact(`got <${encoded}> instead`);
      assert.match(shown, /^got <\[secret\]=*> instead$/);
    }),
  );
  const redact = redactor({ accessKeyId: 'key', secretAccessKey: 'a-secret-key' });
  const bytes = Buffer.from('x-amz-security-token:a-secret-key\n').toString('hex').replace(/../g, '$& ');
  assert.equal(redact(`bytes: ${bytes}.`), 'bytes: [secret].');
});

test('detects a secret that was given as the access key ID from sixteen characters', () => {
  const redact = redactor({ accessKeyId: '0123456789abcdefghijklmnopqrstuv', secretAccessKey: 'a-secret-key' });
  assert.equal(redact('no key 0123456789ABCDEFghi'), 'no key [secret]');
  assert.equal(redact('no key 0123456789abcde'), 'no key 0123456789abcde');
});

test('leaves a text without a secret unchanged', () => {
  const redact = redactor({ accessKeyId: 'key', secretAccessKey: 'a.secret', sessionToken: 'short' });
  assert.equal(redact('a-secret is short'), 'a-secret is short');
  const named = redactor({ accessKeyId: 'benchmark', secretAccessKey: 'a-secret-key' });
  assert.equal(named('no such key: benchmark/run-1/abc'), 'no such key: benchmark/run-1/abc');
  assert.equal(redactor({ accessKeyId: 'key', secretAccessKey: '' })('a text'), 'a text');
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      assert.equal(redactor({ accessKeyId: 'key', secretAccessKey: 'Zq0+/a/secret=' })(text), text);
    }),
  );
});

test('searches a long text for a long secret quickly, whatever their content', () => {
  for (const piece of ['/+=&%', '%', '%25', '\\', '\\\\/', '&amp;', '&#38;', '%26%23', 'ab', 'A', '0']) {
    const cpuTime = startCpuTime();
    const redact = redactor({
      accessKeyId: 'key',
      secretAccessKey: piece.repeat(100),
      sessionToken: piece.repeat(1000),
    });
    plainText(piece.repeat(1_000_000 / piece.length));
    redact(`${piece.repeat(1000)}x`);
    redact(`${`${piece}x`.repeat(1000)}`);
    assert.ok(cpuTime() < 5000, `${piece}: ${cpuTime()}ms`);
  }
});

test('keeps the secrets of several holders until each is replaced, here and in another thread', () => {
  keepSecrets({ secrets: [] }, redactor);
  const [one, other] = [{}, {}];
  keepSecrets({ secrets: ['password-of-a-proxy'] });
  keepSecrets({ secrets: ['token-aaaaaaaa'] }, one);
  keepSecrets({ secrets: ['token-aaaaaaaa'] }, other);
  keepSecrets({ secrets: ['token-bbbbbbbb'] }, one);
  assert.equal(redactKnown('aaaaaaaa, bbbbbbbb and password'), '[secret], [secret] and [secret]');
  keepSecrets({ secrets: [] }, other);
  assert.equal(redactKnown('aaaaaaaa, bbbbbbbb and password'), 'aaaaaaaa, [secret] and [secret]');
  const { secrets } = keptSecrets();
  assert.deepEqual(new Set(secrets.filter((each) => each !== '')), new Set(['password-of-a-proxy', 'token-bbbbbbbb']));
});

test('redacts a text before cutting it for display, and adds an ellipsis if it was cut', () => {
  keepSecrets({ secrets: ['a-secret-key'] }, redactor);
  assert.equal(plainText('no a%2Dsecret%2Dkey here', 14), 'no [secret] he…');
  assert.equal(plainText('a-secret-key', 8), '[secret]');
  const long = `${'a-secret-key '.repeat(1000)}.`;
  assert.match(plainText(long), /^(\[secret\] )+\[s…$/);
});
