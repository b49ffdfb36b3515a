import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { keysIn } from '../helpers/command.js';
import { endOf, startFaultRun } from '../helpers/fault-run.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus } from '../helpers/outcome.js';

const LOST = /^error: the store confirmed ([\d,]+) writes? that it does not have$/m;
const LOST_COPIES = /^error: the store confirmed ([\d,]+) (?:copy|copies) that it does not have$/m;
const UNDONE = /^error: the store confirmed ([\d,]+) deletes? that it did not carry out$/m;
const UNLISTED = /^error: the store made ([\d,]+) objects? that it does not list; they were deleted by key$/m;
const UNLISTED_RACED =
  /^error: the store made ([\d,]+) raced objects that it does not list; they were deleted by key$/m;
const UNLISTED_COPIES =
  /^error: the store made ([\d,]+) (?:copy|copies) that it does not list; they were deleted by key$/m;

/**
 * What a store does wrong, the run, and what each sentence must count: at least one if it is a number of objects that
 * the seed decides.
 *
 * @type {[faults: string, options: string[], sentences: [RegExp, number | 'some'][]][]}
 */
const CASES = [
  ['PUT.unstored=100%', ['--stages', 'write', '--keep', '--no-preflight'], [[LOST, 200]]],
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
    'COMPLETE.unstored=20%',
    ['--stages', 'write,remove', '--multipart', '--size', '6MiB', '--part-size', '5MiB', '--no-preflight'],
    [[LOST, 'some']],
  ],
  ['PUT.unstored=20%', ['--mix', 'read=60,write=20,remove=20', '--no-preflight'], [[LOST, 'some']]],
  ['DELETE.kept=30%', [], [[UNDONE, 'some']]],
  ['POST.kept=100%', ['--stages', 'write,batch-remove'], [[UNDONE, 200]]],
  [
    'list-lag=60m',
    ['--stages', 'write,copy'],
    [
      [UNLISTED, 200],
      [UNLISTED_COPIES, 200],
    ],
  ],
  ['list-lag=60m', ['--stages', 'write,create,remove', '--contenders', '2'], [[UNLISTED_RACED, 200]]],
];

/**
 * @param {string} faults
 * @param {string} title
 */
function rowOf(faults, title) {
  if (faults.startsWith('list-lag')) {
    return `Row 36: ${title}`;
  }
  return faults.includes('unstored') ? `Row 48: ${title}` : `Row 44: ${title}`;
}

describe('what a store confirms and does not do', { concurrency: 3 }, () => {
  for (const [faults, options, sentences] of CASES) {
    const title = `${faults} is reported by ${options.join(' ') || 'a run without options'}`;
    test(rowOf(faults, title), async (t) => {
      const endpoint = await startTestEndpoint(t, { faults });
      const run = await endOf(await startFaultRun(t, endpoint, options));
      assertStatus(run, 1);
      for (const [sentence, expected] of sentences) {
        const count = Number(sentence.exec(run.stderr)?.[1].replace(',', ''));
        assert.ok(expected === 'some' ? count > 0 : count === expected, `${count}: ${run.stderr}`);
      }
      if (!options.includes('--keep') && faults !== 'POST.kept=100%') {
        assert.deepEqual(await keysIn(endpoint), []);
      }
    });
  }

  test('a store that does what it confirms is not accused, and copies are read without being counted', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const run = await endOf(await startFaultRun(t, endpoint, ['--stages', 'write,copy']));
    assertStatus(run, 0);
    assert.doesNotMatch(run.stderr, /error: /);
    assert.deepEqual(
      run.stages.map(({ stage }) => stage),
      ['Write', 'Copy'],
    );
    assert.deepEqual(await keysIn(endpoint), []);
  });
});
