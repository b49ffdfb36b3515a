import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInProcess } from '../helpers/command.js';

/**
 * @param {readonly string[]} parameters
 * @param {number} [objects]
 * @returns {Promise<string>} the error message
 */
async function refusalOf(parameters, objects = 1000) {
  const { status, stdout, stderr } = await runInProcess([`${objects}`, '10', '--local', ...parameters], {});
  assert.deepEqual([status, stdout], [2, '']);
  return stderr;
}

/** @type {readonly [string, readonly string[], RegExp][]} */
const REFUSED = [
  [
    'shares that are no numbers',
    ['--mix', 'read=most,write=20'],
    /--mix: expected a share of read from 1 to 99, got "most"/,
  ],
  ['shares that do not add up', ['--mix', 'read=70,write=20'], /--mix: expected shares that add up to 100, got 90/],
  [
    'an operation that there is not',
    ['--mix', 'look=50,read=50'],
    /--mix: expected shares of write, read, range, stat, copy, remove, such as .*, got "look=50"/,
  ],
  ['an operation twice', ['--mix', 'read=50,read=50'], /--mix: expected one share of read, got two/],
  [
    'more removes than writes',
    ['--mix', 'read=70,write=10,remove=20'],
    /--mix requires a share of write at least as large as the share of remove: removed objects must be written again/,
  ],
  ['list', ['--mix', 'read=50,list=50'], /list cannot be combined with --mix: the keys of a page/],
  ['batch-remove', ['--mix', 'write=50,batch-remove=50'], /batch-remove cannot be combined with --mix/],
  ['stages of its own', ['--mix', 'read=50,write=50', '--stages', 'write'], /--stages cannot be combined with --mix/],
  ['a search', ['--mix', 'read=50,write=50', '--find-peak'], /--mix cannot be combined with --find-peak/],
  ['a ramp', ['--mix', 'read=50,write=50', '--ramp', '1,2'], /--mix cannot be combined with --ramp/],
  [
    'a range that is larger than the objects',
    ['--mix', 'range=50,write=50', '--range-size', '1MiB'],
    /--range-size cannot exceed the size of the objects/,
  ],
  [
    'a range size without ranges',
    ['--mix', 'read=50,write=50', '--range-size', '100'],
    /--range-size requires range in --stages/,
  ],
  [
    'kept objects of which some are removed',
    ['--mix', 'read=50,write=40,remove=10', '--keep'],
    /--keep cannot be combined with remove in --mix: a later run would not know/,
  ],
  [
    'a rate for which there are too few objects',
    ['--mix', 'read=50,write=40,remove=10', '--rate', '2000'],
    /--rate 2000 requires 2000 <objects> or more for this mix, got 1000: no key is written more than once per second/,
  ],
  [
    'an assertion of a kind that is not mixed',
    ['--mix', 'read=50,write=50', '--assert', 'mixed.stat.p99 < 1s'],
    /unknown stage mixed\.stat, expected write, mixed, remove, mixed\.write, mixed\.read/,
  ],
];

for (const [what, parameters, expected] of REFUSED) {
  test(`--mix rejects ${what}`, async () => {
    assert.match(await refusalOf(parameters), expected);
  });
}

test('rejects a mix whose removes may leave no object', async () => {
  const mix = ['--mix', 'write=50,remove=50'];
  assert.match(await refusalOf(mix, 110), /--mix requires 111 <objects> or more .*, got 110/);
});

test('reports all problems of a mix at once', async () => {
  const stderr = await refusalOf(['--mix', 'read=60,write=10,remove=30', '--rate', '9000', '--find-peak']);
  assert.match(stderr, /removed objects must be written again/);
  assert.match(stderr, /--rate 9000 requires 7200 <objects>/);
  assert.match(stderr, /--mix cannot be combined with --find-peak/);
});
