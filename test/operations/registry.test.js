import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stat } from '../../lib/operations/stat.js';
import {
  DEFAULT_STAGES,
  OPERATIONS,
  STAGES,
  STAGE_NAMES,
  operationNamed,
  operationsOf,
} from '../../lib/operations/registry.js';

test('the stages run in the order of the operations and have their capitalized names', () => {
  assert.deepEqual(
    OPERATIONS.map(({ name }) => name),
    ['write', 'read', 'range', 'stat', 'list', 'copy', 'batch-remove', 'remove'],
  );
  assert.deepEqual(STAGE_NAMES, [
    ...['Write', 'Read', 'Range', 'Stat', 'List', 'Copy', 'Mixed'],
    ...['Batch-remove', 'Remove'],
  ]);
  assert.deepEqual(DEFAULT_STAGES, ['write', 'read', 'stat', 'remove']);
  assert.deepEqual(
    STAGES.map(({ kinds }) => kinds),
    OPERATIONS.map((operation) => [{ operation, weight: 1 }]),
  );
});

test('only Write creates objects, and only Write needs no existing ones', () => {
  for (const { name, creates, needsObject } of OPERATIONS) {
    assert.deepEqual([creates, needsObject], [name === 'write', name !== 'write'], name);
  }
});

test('each operation makes its S3 call', () => {
  assert.deepEqual(
    OPERATIONS.map(({ call }) => call.name),
    [
      'PutObject',
      'GetObject',
      'GetObject',
      'HeadObject',
      'ListObjectsV2',
      'CopyObject',
      'DeleteObjects',
      'DeleteObject',
    ],
  );
});

test('each operation moves the bytes of its call', () => {
  for (const { call, transfer, movesBytes, receives } of OPERATIONS) {
    assert.deepEqual([call.sendsObject, call.receivesObject], [transfer === 'sends', transfer === 'receives']);
    assert.deepEqual([movesBytes, receives], [transfer !== 'none', transfer === 'receives']);
  }
});

test('operations are found by name and returned in their own order', () => {
  const names = (/** @type {string[]} */ wanted) => operationsOf(wanted).map(({ name }) => name);
  assert.deepEqual(names(['remove', 'write']), ['write', 'remove']);
  assert.equal(operationNamed('stat'), stat);
  assert.throws(() => operationNamed('Stat'), /expected the name of an operation, got Stat/);
});
