import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { keysIn } from '../helpers/command.js';
import { OBJECTS, endOf, startFaultRun } from '../helpers/fault-run.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus } from '../helpers/outcome.js';

const LOST = /^error: the store confirmed ([\d,]+) writes? that it does not have$/m;
const LOST_COPIES = /^error: the store confirmed ([\d,]+) (?:copy|copies) that it does not have$/m;
const UNLISTED = /^error: the store made ([\d,]+) objects? that it does not list; they were deleted by key$/m;
const UNLISTED_RACED =
  /^error: the store made ([\d,]+) raced objects that it does not list; they were deleted by key$/m;
const UNLISTED_COPIES =
  /^error: the store made ([\d,]+) (?:copy|copies) that it does not list; they were deleted by key$/m;

/**
 * What a store does wrong, the run, what each sentence must count (at least one if it is a number of objects that the
 * seed decides), and the number of objects if it is not the usual one.
 *
 * @type {[faults: string, options: string[], sentences: [RegExp, number | 'some'][], objects?: number][]}
 */
const CASES = [
  ['PUT.unstored=100%', ['--stages', 'write', '--keep', '--no-preflight'], [[LOST, OBJECTS]]],
  [
    'PUT.unstored=20%',
    ['--stages', 'write,remove', '--client', 'sdk', '--cores', '2', '--no-preflight'],
    [[LOST, 'some']],
  ],
  [
    'PUT.unstored=20%',
    ['--stages', 'write,copy', '--no-preflight'],
    [
      [LOST, 'some'],
      [LOST_COPIES, 'some'],
    ],
  ],
  [
    'COMPLETE.unstored=50%',
    ['--stages', 'write,remove', '--multipart', '--size', '6MiB', '--part-size', '5MiB', '--no-preflight'],
    [[LOST, 'some']],
    20,
  ],
  ['PUT.unstored=20%', ['--mix', 'read=60,write=20,remove=20', '--no-preflight'], [[LOST, 'some']]],
  [
    'list-lag=60m',
    ['--stages', 'write,copy'],
    [
      [UNLISTED, OBJECTS],
      [UNLISTED_COPIES, OBJECTS],
    ],
  ],
  ['list-lag=60m', ['--stages', 'write,create,remove', '--contenders', '2'], [[UNLISTED_RACED, OBJECTS]]],
];

describe('what a store confirms and does not do', { concurrency: 3 }, () => {
  for (const [faults, options, sentences, objects] of CASES) {
    const title = `${faults} is reported by ${options.join(' ')}`;
    test(faults.startsWith('list-lag') ? `Row 36: ${title}` : `Row 48: ${title}`, async (t) => {
      const endpoint = await startTestEndpoint(t, { faults });
      const run = await endOf(await startFaultRun(t, endpoint, options, { objects }));
      assertStatus(run, 1);
      for (const [sentence, expected] of sentences) {
        const count = Number(sentence.exec(run.stderr)?.[1].replace(',', ''));
        assert.ok(expected === 'some' ? count > 0 : count === expected, `${count}: ${run.stderr}`);
      }
      if (!options.includes('--keep')) {
        assert.deepEqual(await keysIn(endpoint), []);
      }
    });
  }
});
