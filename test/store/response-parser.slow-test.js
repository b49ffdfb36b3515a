import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anyPieces, blankTally, compareReaders } from '../helpers/http-answers.js';

test('of ten thousand answers, node:http reads those that ours accepts, and the same', async () => {
  const tally = blankTally();
  const numRuns = 10_000;
  await fc.assert(
    fc.asyncProperty(anyPieces, ({ pieces, isHead }) => compareReaders(pieces, isHead, tally)),
    { numRuns },
  );
  assert.equal(tally.acceptedAlike + tally.excepted + tally.refusedAlike + tally.stricter, numRuns);
});
