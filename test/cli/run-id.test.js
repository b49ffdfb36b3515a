import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { makeRunId } from '../../lib/cli/run-id.js';
import { isRunId } from '../../lib/workload/keyspace.js';

test('a run id says when the run was made, in UTC', () => {
  assert.equal(
    makeRunId(Date.UTC(2026, 0, 31, 23, 59, 58, 999), () => 0),
    '20260131-235958-0000',
  );
  assert.equal(
    makeRunId(Date.UTC(2026, 0, 1), () => 1 - Number.EPSILON),
    '20260101-000000-zzzz',
  );
});

test('whatever the time and the chance, it is a run id', () => {
  const time = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) });
  const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(fc.property(time, chance, (now, random) => isRunId(makeRunId(now, () => random))));
});
