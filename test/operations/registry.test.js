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

test('the stages run in the order of the operations, and bear their names with a capital', () => {
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

test('only Write leaves objects behind, and only Write needs none', () => {
  for (const { name, creates, needsObject } of OPERATIONS) {
    assert.deepEqual([creates, needsObject], [name === 'write', name !== 'write'], name);
  }
});

test('an operation makes the call that S3 has for it', () => {
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

test('an operation moves the bytes that its call does', () => {
  for (const { call, transfer, movesBytes, receives } of OPERATIONS) {
    assert.deepEqual([call.sendsObject, call.receivesObject], [transfer === 'sends', transfer === 'receives']);
    assert.deepEqual([movesBytes, receives], [transfer !== 'none', transfer === 'receives']);
  }
});

test('operations are found by their names, in their own order', () => {
  const names = (/** @type {string[]} */ wanted) => operationsOf(wanted).map(({ name }) => name);
  assert.deepEqual(names(['remove', 'write']), ['write', 'remove']);
  assert.equal(operationNamed('stat'), stat);
  assert.throws(() => operationNamed('Stat'), /expected the name of an operation, got Stat/);
});
