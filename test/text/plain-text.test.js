import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainLine, plainText } from '../../lib/text/plain-text.js';

const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;

const text = fc.string({ unit: 'binary', maxLength: 300 });

test('makes terminal controls and invisible characters visible', () => {
  assert.equal(plainText('\u001b[2Jno\u0007'), '\\u{1b}[2Jno\\u{7}');
  assert.equal(plainText('a\u202eb\u200bc\ufeffd\u009be'), 'a\\u{202e}b\\u{200b}c\\u{feff}d\\u{9b}e');
  assert.equal(plainText('\ud83d'), '\\u{d83d}');
  assert.equal(plainText('schön 🙂 "so"\\'), 'schön 🙂 "so"\\');
});

test('several lines become one', () => {
  assert.equal(plainText('one\r\n\ttwo\u2028three\n'), 'one two three');
  assert.equal(plainLine('  one\ntwo  '), '  one two  ');
});

test('cuts a long text, but no character', () => {
  assert.equal(plainText('x'.repeat(200)), 'x'.repeat(200));
  assert.equal(plainText('x'.repeat(201)), `${'x'.repeat(200)}…`);
  assert.equal(plainText('abc🙂', 4), 'abc…');
  assert.equal(plainText('\u0007\u0007', 6), '\\u{7}\\…');
});

test('no text exceeds one line, or the space that it is given', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 250 }), (given, maxLength) => {
      const shown = plainText(given, maxLength);
      assert.doesNotMatch(shown, UNPRINTABLE);
      assert.ok(shown.length <= maxLength + 1);
      assert.doesNotMatch(plainLine(given), UNPRINTABLE);
      assert.equal(plainLine(plainLine(given)), plainLine(given));
    }),
  );
});
