import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATIONS } from '../../lib/operations/registry.js';
import { mixedStage, stageOf } from '../../lib/operations/stage.js';

const [write, read, stat, remove] = OPERATIONS;

test('a stage of one kind is what its operation is', () => {
  for (const operation of OPERATIONS) {
    const { name, creates, removes, receives, movesBytes } = stageOf(operation);
    assert.deepEqual(
      [name, creates, removes, receives, movesBytes],
      [operation.logName, operation.creates, operation.removes, operation.receives, operation.movesBytes],
    );
  }
});

test('a mixed stage does what any of its operations does', () => {
  const kinds = (/** @type {typeof OPERATIONS} */ ...operations) =>
    operations.map((operation) => ({ operation, weight: 1 }));
  const { creates, removes, receives, movesBytes } = mixedStage('Mixed', kinds(stat, write));
  assert.deepEqual([creates, removes, receives, movesBytes], [true, false, false, true]);
  const other = mixedStage('Mixed', kinds(stat, remove));
  assert.deepEqual([other.creates, other.removes, other.receives, other.movesBytes], [false, true, false, false]);
  assert.equal(mixedStage('Mixed', kinds(read, write)).receives, true);
});
