import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LogBounds } from '../../lib/result/log/read-files.js';
import { checkResultBounds } from '../../lib/result/input-bounds.js';

/** @import { LogLine } from '../../lib/result/log/lines.js' */

/** @param {string} stage @returns {LogLine} */
function schedule(stage) {
  return { kind: 'schedule', stage, objects: 10 };
}

/** @param {string} stage @returns {LogLine} */
function second(stage) {
  return { kind: 'second', time: '00:00:01', stage, rate: 0, megabytes: 0 };
}

/** @param {Record<string, unknown>} data @returns {LogLine} */
function machine(data) {
  return { kind: 'machine', data };
}

/**
 * @param {number} count
 * @param {(index: number) => LogLine[]} linesOf
 */
function read(count, linesOf) {
  const bounds = new LogBounds('log.txt');
  let line = 0;
  for (let index = 0; index < count; index += 1) {
    for (const entry of linesOf(index)) {
      line += 1;
      bounds.add(line, entry);
    }
  }
}

/** @type {[what: string, most: number, linesOf: (index: number) => LogLine[], message: string][]} */
const LOGS = [
  ['runs', 1000, () => [machine({ kind: 'run' }), schedule('Write')], 'log.txt:2001: more than 1,000 runs in one file'],
  [
    'runs without machine lines, each starting with a stage of the previous one',
    1001,
    () => [schedule('Write')],
    'log.txt:1002: more than 1,000 runs in one file',
  ],
  [
    'stages, whatever kind of line names them',
    2000,
    (index) => [index % 2 === 0 ? second(`S${index}`) : machine({ kind: 'stage', stage: `S${index}` })],
    'log.txt:2001: more than 2,000 stages in one file',
  ],
  [
    'stages over several runs',
    500,
    () => [machine({ kind: 'run' }), ...['Write', 'Read', 'Stat', 'Remove'].map(schedule)],
    'log.txt:2502: more than 2,000 stages in one file',
  ],
  [
    'seconds, however few operations they have',
    1_000_000,
    () => [second('Write')],
    'log.txt:1000001: more than 1,000,000 seconds in one file',
  ],
  [
    'machine lines',
    200_000,
    () => [machine({ kind: 'seconds', stage: 'Write' })],
    'log.txt:200001: more than 200,000 machine lines in one file',
  ],
];

describe('a log is refused at the first line that exceeds a limit', () => {
  for (const [what, most, linesOf, message] of LOGS) {
    test(what, () => {
      read(most, linesOf);
      assert.throws(() => read(most + 1, linesOf), { name: 'InputError', message });
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
