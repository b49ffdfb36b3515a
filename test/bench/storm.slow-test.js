import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkPart } from '../../bench/storm/checks.js';
import { runMixedPart } from '../../bench/storm/mixed-part.js';
import { runPart } from '../../bench/storm/part.js';

// The short version of `npm run storm`.

test('the counts of a load in a storm are exact, and the checks see what is wrong', async () => {
  const objects = 500;
  const part = await runPart({ objects, seed: 1, client: 'direct' });
  const broken = (/** @type {any} */ changed) => checkPart(changed, objects).filter(({ holds }) => !holds).length;
  assert.equal(broken(part), 0);
  const { seen } = part;
  assert.ok(broken({ ...part, seen: { ...seen, objects: { left: 1 } } }) > 0);
  assert.ok(
    broken({ ...part, seen: { ...seen, requests: { ...seen.requests, PUT: { total: 0, succeeded: 0 } } } }) > 0,
  );
});

test('a mixed load survives a storm without a false error, and leaves nothing behind, even when it is killed', async () => {
  const { checks, operations } = await runMixedPart({ seconds: 4, seed: 1, client: 'direct', objects: 600 });
  assert.ok(operations > 0);
  assert.deepEqual(
    checks.filter(({ holds }) => !holds),
    [],
  );
});
