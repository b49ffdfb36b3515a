import fc from 'fast-check';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { MAX_LINE_LENGTH, parseLine } from '../../lib/result/log/lines.js';
import { cases } from '../helpers/cases.js';
import { runInProcess } from '../helpers/command.js';
import { startCpuTime } from '../helpers/cpu-time.js';
import { assertCivil } from './civil.js';

/**
 * @typedef {{ kind: 'insert' | 'cut' | 'lose' | 'double' | 'exchange' | 'join', line: number, at: number, remove: number,
 *   insert: string }} Change
 */

const REAL = ['old-tool.txt', 'own-log.txt'].map((name) =>
  readFileSync(new URL(`../golden/${name}`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n'),
);

const KINDS = /** @type {const} */ (['insert', 'cut', 'lose', 'double', 'exchange', 'join']);

/** Inserted into lines: digits that break numbers, marks that end JSON, and bytes that are not text. */
const INSERTIONS = [
  '',
  '0',
  '9'.repeat(18),
  '-',
  '.',
  'e9',
  ' ',
  '"',
  '}',
  '{"',
  '\\u0000',
  '\0',
  '\r',
  '\u202e',
  'Write',
];

const insertion = fc.oneof(fc.constantFrom(...INSERTIONS), fc.string({ unit: 'binary' }));

/** Changes, drops, doubles, swaps or joins lines. @type {fc.Arbitrary<Change>} */
const change = fc.record({
  kind: fc.constantFrom(...KINDS),
  line: fc.nat(),
  at: fc.nat(400),
  remove: fc.nat(20),
  insert: insertion,
});

/**
 * @param {readonly string[]} original
 * @param {readonly Change[]} changes
 */
function damage(original, changes) {
  const lines = [...original];
  for (const { kind, line, at, remove, insert } of changes) {
    const place = line % lines.length;
    const text = lines[place];
    const damaged = {
      insert: () => [text.slice(0, at) + insert + text.slice(at + remove)],
      cut: () => [text.slice(0, at)],
      lose: () => [],
      double: () => [text, text],
      exchange: () => [lines[at % lines.length]],
      join: () => [text + lines[at % lines.length]],
    }[kind]();
    lines.splice(place, 1, ...damaged);
    if (lines.length === 0) {
      lines.push('');
    }
  }
  return `${lines.join('\n')}\n`;
}

/** @param {Uint8Array | string} log */
function aggregate(log) {
  return runInProcess(['merge', '-', '--csv', '-'], {}, Readable.from([Buffer.from(log)]));
}

test('a line that almost matches is refused in linear time', () => {
  // A pattern with backtracking would take seconds for the longest allowed line.
  const repeated = ['9', ' ', '0.', '{', '"', 'Write ', 'p50 1.00ms max ', ': '];
  const cpuTime = startCpuTime();
  for (const line of REAL.flat()) {
    for (const piece of repeated) {
      const filling = piece.repeat(Math.ceil(MAX_LINE_LENGTH / piece.length));
      for (const at of [1, Math.floor(line.length / 2), line.length]) {
        parseLine((line.slice(0, at) + filling).slice(0, MAX_LINE_LENGTH));
      }
    }
  }
  assert.ok(cpuTime() < 10_000, `${cpuTime()}ms`);
});

test('a log with any damage is merged or refused, with readable warnings', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...REAL), fc.array(change, { maxLength: 12 }), async (original, changes) => {
      assertCivil(await aggregate(damage(original, changes)));
    }),
    { numRuns: cases(150) },
  );
});

test('bytes that are not a log are refused', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 5000 }), async (bytes) => {
      const outcome = await aggregate(bytes);
      assertCivil(outcome);
      assert.equal(outcome.status, 1);
    }),
    { numRuns: cases(100) },
  );
});

test('machine lines with wrong content cause a warning and no harm', async () => {
  const [, own] = REAL;
  const places = own.flatMap((line, place) => (line.startsWith('# r2-benchmark {') ? [place] : []));
  assert.ok(places.length > 5);
  // Values of the right kind in the wrong place, and of the wrong kind.
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 1 }),
    fc.constantFrom(-1, 0, 2 ** 53, 1e300, null, [], {}, '', '..', 'fatal', '\u001b[2J', '2026-01-31T00:00:00.000Z'),
    // As deep as a line allows.
    fc.integer({ min: 1, max: 400 }).map((levels) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat(), fc.nat(), value), { minLength: 1, maxLength: 6 }), async (changes) => {
      const lines = [...own];
      for (const [line, field, replacement] of changes) {
        const place = places[line % places.length];
        const data = JSON.parse(lines[place].slice('# r2-benchmark '.length));
        const names = Object.keys(data);
        data[names[field % names.length]] = replacement;
        lines[place] = `# r2-benchmark ${JSON.stringify(data)}`;
      }
      assertCivil(await aggregate(`${lines.join('\n')}\n`));
    }),
    // A stage's first second as an object that has no primitive value.
    { numRuns: cases(150), examples: [[[[4, 2, { toString: false }]]]] },
  );
});
