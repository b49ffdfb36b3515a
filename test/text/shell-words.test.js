import fc from 'fast-check';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { shellWord, shellWords } from '../../lib/text/shell-words.js';

test('restores words that were quoted for a shell', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 6 }), (words) => {
      assert.deepEqual(shellWords(words.map((word) => shellWord(word)).join(' ')), words);
    }),
  );
});

const TEXTS = [
  '',
  '   ',
  '--client sdk',
  " --env-file 'a b.env'\t--size 1KiB ",
  String.raw`--env-file a\ b.env`,
  `--faults "latency=5ms,GET.status=503:10%"`,
  String.raw`"a \"quoted\" \\ word" 'and \ another'`,
  String.raw`"only \these and \$ are escaped"`,
  `a''b "" ''`,
  `--a='x y'"z"w`,
];

test('splits texts like a shell', () => {
  for (const text of TEXTS) {
    const script = String.raw`for word in ${text}; do printf '%s\0' "$word"; done`;
    const bySh = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
    assert.deepEqual(shellWords(text), bySh, text);
  }
});

test('expands nothing', () => {
  assert.deepEqual(shellWords('$HOME `id` *.env ~ a;b'), ['$HOME', '`id`', '*.env', '~', 'a;b']);
});

test('rejects unterminated text', () => {
  for (const [text, problem] of [
    ["--client 'sdk", "expected a closing '"],
    ['"a', 'expected a closing "'],
    ['a\\', 'expected a character after the last backslash'],
    ['"a\\', 'expected a closing "'],
  ]) {
    assert.throws(() => shellWords(text), { name: 'RangeError', message: problem });
  }
});
