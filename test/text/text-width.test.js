import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cutToWidth, padToWidth, textWidth, wrapAtWords } from '../../lib/text/text-width.js';

/** Text with narrow, wide and combining characters, and words of every length. */
const text = fc.string({
  unit: fc.constantFrom('a', 'b', 'é', 'e\u0301', '漢', 'ｗ', '가', '🙂', ' ', '-'),
  maxLength: 60,
});

test('wide characters take two columns, combining marks and colours none', () => {
  assert.equal(textWidth('plain'), 5);
  assert.equal(textWidth('漢字'), 4);
  assert.equal(textWidth('ｆｕｌｌ'), 8);
  assert.equal(textWidth('한글'), 4);
  assert.equal(textWidth('🙂🚀'), 4);
  assert.equal(textWidth('e\u0301'), 1);
  assert.equal(textWidth('▁▂▃█░…'), 6);
  assert.equal(textWidth('\x1b[31m12 failed\x1b[39m'), 9);
});

test('cuts and pads any text to the available columns', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 3, max: 40 }), (given, columns) => {
      const shown = cutToWidth(given, columns);
      assert.ok(textWidth(shown) <= columns);
      assert.ok(textWidth(given) > columns ? shown.endsWith('…') : shown === given);
      assert.ok(
        textWidth(given) <= columns || textWidth(shown) >= columns - 1,
        'no more than a wide character is wasted',
      );
      assert.equal(textWidth(padToWidth(shown, columns)), columns);
    }),
  );
});

test('wraps a sentence between words', () => {
  assert.deepEqual(wrapAtWords('Write was limited by the store: 500 a second.', 20, '  '), [
    'Write was limited by',
    '  the store: 500 a',
    '  second.',
  ]);
  assert.deepEqual(wrapAtWords('', 20), ['']);
});

test('no line is too long, and no word is lost', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 6, max: 40 }), (given, columns) => {
      const lines = wrapAtWords(given, columns, '  ');
      assert.deepEqual(
        lines.filter((line) => textWidth(line) > columns),
        [],
      );
      const indented = lines.map((line, place) => (place === 0 ? line : line.slice(2)));
      assert.equal(indented.join('').replaceAll(' ', ''), given.replaceAll(' ', ''));
    }),
  );
});
