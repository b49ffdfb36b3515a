import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandOf, recordedOptions } from '../../lib/options/recorded-options.js';
import { defaultOf, isMet, readOptions } from '../../lib/options/read-options.js';
import { GROUPS, ROWS, flagOf } from '../../lib/options/table.js';
import { shellWords } from '../../lib/text/shell-words.js';

/** A non-default value of each recorded option. @type {Readonly<Record<string, string>>} */
const OTHER_VALUES = {
  replay: 'a.ndjson,b.ndjson.gz',
  speed: '2.5x',
  faults: 'status=503:3%',
  client: 'sdk',
  existing: 'photos/',
  size: '4KiB..1MiB',
  access: 'zipf:1.2',
  publicUrl: 'https://{bucket}.example.com',
  stages: 'write,read,range,batch-remove',
  mix: 'write=30,read=70',
  rangeSize: '1KiB',
  pageSize: '50',
  batch: '10',
  contenders: '4',
  delimiter: '/',
  partSize: '5MiB',
  partThreads: '8',
  rate: '12.5',
  arrival: 'poisson',
  duration: '1500ms',
  maxOperations: '300',
  warmup: '250ms',
  peakOf: 'rate',
  target: '1000',
  slo: '20ms',
  ramp: '1,2,4',
  stepTime: '20s',
  gap: '7s',
  from: '90s',
  for: '20s',
  limit: '1000',
  timeout: '1500ms',
  retries: '3',
};

test('a recorded value is written as its option takes it', () => {
  for (const [name, row] of Object.entries(ROWS)) {
    if (row.read !== undefined && (row.role === 'load' || row.role === 'repeat')) {
      const text = OTHER_VALUES[name];
      assert.ok(text !== undefined, `${name} has no value here`);
      const value = row.read(text);
      const recorded = row.record === undefined ? value : row.record(value);
      const isSeveralSizes = name === 'size';
      assert.equal(isSeveralSizes ? text : (row.write ?? String)(recorded), text, name);
      assert.notDeepEqual(value, defaultOf(row), name);
    }
  }
});

test('every option has its own flag, a group, and one line of help', () => {
  const flags = Object.values(ROWS).map(flagOf);
  assert.deepEqual(flags, [...new Set(flags)]);
  for (const [name, { flag, group, help }] of Object.entries(ROWS)) {
    assert.match(flag, /^--[a-z][a-z0-9-]*( [<[][a-z0-9/=-]+[>\]])?$/i, name);
    assert.ok(group in GROUPS && help.length > 4 && help.length < 100 && !help.includes('\n'), name);
  }
});

test('a row requires and excludes only options and values that exist', () => {
  for (const [name, { needs = [], excludes = {} }] of Object.entries(ROWS)) {
    const conditions = [needs].flat().flatMap((need) => (typeof need.met === 'function' ? [] : Object.entries(need)));
    for (const [other, value] of [...conditions, ...Object.entries(excludes)]) {
      assert.ok(other in ROWS, `${name}: ${other}`);
      assert.ok(value === true || ROWS[other].read?.(String(value)) === value, `${name}: ${other} ${value}`);
    }
  }
});

test('a problem names what to write, including its own requirements', () => {
  const problemsOf = (/** @type {Record<string, any>} */ given) =>
    readOptions('run', given, { operands: ['100', '10'] }).problems;
  const needed = '--slo requires --find-peak --peak-of rate or --find-peak --peak-of speed';
  assert.deepEqual(problemsOf({ slo: '5ms' }), [needed]);
  assert.deepEqual(problemsOf({ slo: '5ms', findPeak: true }), [needed]);
  assert.deepEqual(problemsOf({ rate: '5', findPeak: true }), ['--rate cannot be combined with --find-peak']);
  assert.deepEqual(problemsOf({ gap: '5s' }), ['--gap requires --duration or --ramp']);
});

test('an excluded option reports no missing requirements', () => {
  const { problems } = readOptions('run', { speed: '2x', findPeak: true }, { operands: ['100', '10'] });
  assert.deepEqual(problems, ['--speed cannot be combined with --find-peak']);
});

test('one of several requirements is enough', () => {
  assert.equal(isMet([{ rate: true }, { peakOf: 'rate' }], { peakOf: 'rate' }), true);
  assert.equal(isMet([{ rate: true }, { peakOf: 'rate' }], { peakOf: 'threads' }), false);
  assert.equal(isMet({ met: ({ size }) => size > 1, says: 'more' }, { size: 2 }), true);
});

test('a command made from recorded options records the same', () => {
  for (const line of [
    '--size 4KiB..1MiB --keep',
    '--find-peak --peak-of rate --slo 20ms',
    '--multipart --part-size 5MiB',
  ]) {
    const read = (/** @type {readonly string[]} */ words) => {
      /** @type {Record<string, string | boolean>} */
      const given = {};
      words.forEach((word, index) => {
        const [name] = Object.entries(ROWS).find(([, row]) => flagOf(row) === word) ?? [];
        if (name !== undefined) {
          given[name] = ROWS[name].read === undefined ? !word.startsWith('--no-') : words[index + 1];
        }
      });
      return readOptions('run', given, { operands: ['100', '10'] }).values;
    };
    const values = read(line.split(' '));
    const recorded = recordedOptions(values);
    const [, objects, threads, ...words] = shellWords(commandOf({ objects: 100, threads: 10, ...recorded }));
    assert.deepEqual([objects, threads], ['100', '10']);
    assert.deepEqual(recordedOptions(read(words)), recorded, line);
  }
});
