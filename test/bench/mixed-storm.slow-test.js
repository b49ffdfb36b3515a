import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runMixedPart } from '../../bench/storm/mixed-part.js';

test('a mixed load survives a storm without a false error, and leaves nothing behind, even when it is killed', async () => {
  const { checks, operations } = await runMixedPart({ seconds: 4, seed: 1, client: 'direct', objects: 600 });
  assert.ok(operations > 0);
  assert.deepEqual(
    checks.filter(({ holds }) => !holds),
    [],
  );
});
