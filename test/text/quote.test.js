import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quote } from '../../lib/text/quote.js';

test('shows the given text in quotation marks', () => {
  assert.equal(quote('a "b"\\'), '"a \\"b\\"\\\\"');
  assert.equal(quote('schön 🙂'), '"schön 🙂"');
  assert.equal(quote(''), 'nothing');
});

test('makes invisible characters visible', () => {
  assert.equal(quote('store.test\u200b'), '"store.test\\u{200b}"');
  assert.equal(quote('\ufeffa\u00a0b\u2028\u202e\u0085'), '"\\u{feff}a\u00a0b\\u{2028}\\u{202e}\\u{85}"');
  assert.equal(quote('\u001b[2J\n\ud83d'), '"\\u001b[2J\\n\\ud83d"');
});

test('no text exceeds one line, or the width of a line', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      const shown = quote(text);
      assert.doesNotMatch(shown, /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      assert.ok(shown.length < 1000);
      assert.equal(shown.includes('…'), text.length > 80 || text.includes('…'));
    }),
  );
});
