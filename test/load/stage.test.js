import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_AMOUNTS, OPERATIONS, operationNamed } from '../../lib/load/operations/registry.js';
import { bytesPerOperation, mixedStage, stageOf } from '../../lib/load/operations/stage.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';

/** @import { Overrides } from '../helpers/run-config.js' */

const [write, read, range, stat, remove] = ['write', 'read', 'range', 'stat', 'remove'].map(operationNamed);

test('a stage of one kind has the properties of its operation', () => {
  for (const operation of OPERATIONS) {
    const { name, creates, removes, receives, movesBytes } = stageOf(operation);
    assert.deepEqual(
      [name, creates, removes, receives, movesBytes],
      [operation.logName, operation.creates, operation.removes, operation.receives, operation.movesBytes],
    );
  }
});

/** @param {Overrides} overrides */
const configOf = (overrides) => runConfig(NO_TARGET, overrides);

test('with objects of several sizes, an operation moves the mean size', () => {
  const sizes = { kind: /** @type {const} */ ('weighted'), sizes: [1000, 9000].map((bytes) => ({ bytes, weight: 1 })) };
  const config = configOf({ size: 9000, sizes, amounts: { ...DEFAULT_AMOUNTS, rangeSize: 300 } });
  assert.deepEqual(
    [write, range, stat].map((operation) => bytesPerOperation(stageOf(operation), config)),
    [5000, 300, 0],
  );
});

test('a mixed stage does what any of its operations does', () => {
  const kinds = (/** @type {typeof OPERATIONS} */ ...operations) =>
    operations.map((operation) => ({ operation, weight: 1 }));
  const { creates, removes, receives, movesBytes } = mixedStage('Mixed', kinds(stat, write));
  assert.deepEqual([creates, removes, receives, movesBytes], [true, false, false, true]);
  const other = mixedStage('Mixed', kinds(stat, remove));
  assert.deepEqual([other.creates, other.removes, other.receives, other.movesBytes], [false, true, false, false]);
  assert.equal(mixedStage('Mixed', kinds(read, write)).receives, true);
  assert.deepEqual(
    [kinds(range, stat), kinds(range, read)].map((each) => mixedStage('Mixed', each).movesWhole),
    [false, true],
  );
});
