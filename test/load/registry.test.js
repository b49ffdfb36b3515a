import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_STAGES, OPERATIONS, STAGES, STAGE_NAMES } from '../../lib/load/operations/registry.js';

test('the stages run in the order of the operations and have their capitalized names', () => {
  assert.deepEqual(
    OPERATIONS.map(({ name }) => name),
    ['write', 'read', 'range', 'stat', 'list', 'copy', 'create', 'swap', 'batch-remove', 'remove'],
  );
  assert.deepEqual(STAGE_NAMES, [
    ...['Prepare', 'Write', 'Read', 'Range', 'Stat', 'List', 'Copy', 'Create', 'Swap', 'Mixed', 'Replay'],
    ...['Batch-remove', 'Remove'],
  ]);
  assert.deepEqual(DEFAULT_STAGES, ['write', 'read', 'stat', 'remove']);
  assert.deepEqual(
    STAGES.map(({ kinds }) => kinds),
    OPERATIONS.map((operation) => [{ operation, weight: 1 }]),
  );
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
      'PutObject',
      'PutObject',
      'DeleteObjects',
      'DeleteObject',
    ],
  );
});
