import assert from 'node:assert/strict';
import { test } from 'node:test';
import { STAGE_NAMES } from '../../lib/log/log-line.js';
import { STAGES } from '../../lib/operations/registry.js';

test('the stages run in the order in which the log names them', () => {
  assert.deepEqual(
    STAGES.map(({ name }) => name),
    ['Write', 'Read', 'Stat', 'Remove'],
  );
  assert.deepEqual(
    STAGES.map(({ name }) => name),
    STAGE_NAMES,
  );
});

test('only Write leaves objects behind, and only Write needs none', () => {
  assert.deepEqual(
    STAGES.map(({ isWrite, needsObject }) => [isWrite, needsObject]),
    [
      [true, false],
      [false, true],
      [false, true],
      [false, true],
    ],
  );
});
