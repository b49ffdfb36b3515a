import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from '../../lib/index.js';

test('a limit of operations ends each timed stage early, and all objects are removed', async () => {
  const options = { objects: 40, threads: 4, size: 100, duration: '30s', maxOperations: 100, preflight: false };
  const { stages } = await run({ store: 'local', ...options });
  assert.deepEqual(
    stages.map(({ stage, operations, end }) => [stage, operations, end]),
    [
      ['Write', 40, 'complete'],
      ['Read', 100, 'complete'],
      ['Stat', 100, 'complete'],
      ['Remove', 40, 'complete'],
    ],
  );
});

test('a limit of operations does not mean that the objects ran out', async () => {
  const options = { objects: 400, threads: 4, size: 100, stages: 'write', duration: '30s', preflight: false };
  const { stages } = await run({ store: 'local', ...options, maxOperations: 100 });
  assert.deepEqual([stages[0].operations, stages[0].objectsNeeded], [100, null]);
});
