import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readFiles, readLines } from '../../lib/result/log/read-files.js';
import { checkResultBounds } from '../../lib/result/input-bounds.js';
import { machineLine, scheduleLine, secondLine } from './logs-of.js';

/**
 * @param {number} count
 * @param {(index: number) => string[]} linesOf
 */
async function read(count, linesOf) {
  const blocks = async function* () {
    for (let index = 0; index < count; index += 1) {
      yield Buffer.from(`${linesOf(index).join('\n')}\n`);
    }
  };
  await readFiles(['-'], blocks(), { keepsDetails: false });
}

/** @type {[what: string, most: number, linesOf: (index: number) => string[], message: string][]} */
const LOGS = [
  ['runs', 1000, () => [machineLine({ kind: 'run' }), scheduleLine()], '2001: more than 1,000 runs'],
  [
    'runs without machine lines, each starting with a stage of the previous one',
    1000,
    () => [scheduleLine()],
    '1001: more than 1,000 runs',
  ],
  [
    'stages, whatever kind of line names them',
    2000,
    (index) => [
      index % 2 === 0
        ? secondLine('00:00:01', 0, `S${index}`)
        : machineLine({ kind: 'seconds', stage: `S${index}`, operations: [] }),
    ],
    '2001: more than 2,000 stages',
  ],
  [
    'stages over several runs',
    500,
    () => [machineLine({ kind: 'run' }), ...['Write', 'Read', 'Stat', 'Remove'].map(scheduleLine)],
    '2502: more than 2,000 stages',
  ],
  [
    'seconds, however few operations they have',
    100,
    () => Array.from({ length: 10_000 }, () => secondLine('00:00:01', 0)),
    '1000001: more than 1,000,000 seconds',
  ],
  [
    'machine lines',
    100,
    () => Array.from({ length: 2000 }, () => machineLine({ kind: 'seconds', stage: 'Write' })),
    '200001: more than 200,000 machine lines',
  ],
];

describe('a log is refused at the first line that exceeds a limit', () => {
  for (const [what, most, linesOf, message] of LOGS) {
    test(what, async () => {
      await read(most, linesOf);
      const error = { name: 'InputError', message: `standard input:${message} in one file` };
      await assert.rejects(read(most + 1, linesOf), error);
    });
  }
});

/** @param {number} levels */
function nested(levels) {
  return `${'{"a":['.repeat(levels / 2)}${']}'.repeat(levels / 2)}`;
}

/** @type {[what: string, most: string, tooMuch: string, message: string][]} */
const RESULTS = [
  ['levels', nested(64), nested(66), 'result.json:1: more than 64 levels of nesting in one file'],
  [
    'hosts',
    `{"hosts":[${'{"host":[1,2]},'.repeat(1999)}{}]}`,
    `{"hosts":\n[\n${'{"host":[1,2]},\n'.repeat(2000)}{}]}`,
    'result.json:2002: more than 2,000 hosts, stages or problems in one file',
  ],
  [
    'values',
    `{"seconds":[[${'0,'.repeat(4_999_996)}0]]}`,
    `{"seconds":[[${'0,'.repeat(4_999_998)}0]]}`,
    'result.json:1: more than 5,000,000 values in one file',
  ],
];

describe('an oversized result is refused before it is parsed', () => {
  for (const [what, most, tooMuch, message] of RESULTS) {
    test(what, () => {
      checkResultBounds('result.json', most);
      assert.throws(() => checkResultBounds('result.json', tooMuch), { name: 'InputError', message });
    });
  }

  test('brackets and commas inside strings do not count', () => {
    const text = JSON.stringify({ text: `\\"${'['.repeat(100)}\\\\`, other: '{,'.repeat(3000), '"[': '\\' });
    checkResultBounds('result.json', `${text}${' '.repeat(9)}`);
    assert.throws(() => checkResultBounds('result.json', `{"\\\\":${nested(64)}}`), /levels of nesting/);
  });

  test('a text that ends inside a string does not loop forever', () => {
    checkResultBounds('result.json', '{"a\\');
  });
});

test('a file name is shown on one line', () => {
  assert.throws(() => checkResultBounds('a\nb\u001b', nested(66)), { message: /^a b\\u\{1b\}:1: more/ });
});

test('a line longer than the longest string is skipped, and the next lines are read', async () => {
  async function* content() {
    yield Buffer.from('Retrying on TRANSIENT error\n');
    for (let megabytes = 0; megabytes < 600; megabytes += 1) {
      yield Buffer.alloc(2 ** 20, 'x');
    }
    yield Buffer.from('\nRetrying on TRANSIENT error\n');
  }
  /** @type {number[]} */
  const numbers = [];
  await readLines(content(), (number) => numbers.push(number), 'file');
  assert.deepEqual(numbers, [1, 3]);
});

test('an input without an end is refused by name, in bounded memory', async () => {
  const reading = readFiles(['/dev/zero'], (async function* () {})(), { keepsDetails: false });
  await assert.rejects(reading, { message: '/dev/zero:1: more than 1 GiB without a log line' });
});
