import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addCounts, COUNT_NAMES } from '../../lib/model/counters.js';
import { FORMAT } from '../../lib/model/schema.js';
import { StageMeter } from '../../lib/meter/stage-meter.js';
import { ManualClock } from '../helpers/manual-clock.js';
import { RESULT_SCHEMA } from '../helpers/result-schema.js';

test('every counter has a description with its unit', () => {
  for (const name of COUNT_NAMES) {
    const { description, 'x-unit': unit } = RESULT_SCHEMA.$defs.counters.properties[name];
    assert.ok(description.endsWith('.') && unit.length > 0, name);
  }
});

test('a meter counts every counter of the table, and no other', () => {
  const clock = new ManualClock(0);
  const { errors, ...counts } = new StageMeter(clock, clock.now()).counts();
  assert.deepEqual(errors, {});
  assert.deepEqual(Object.keys(counts).toSorted(), COUNT_NAMES.toSorted());
  assert.ok(Object.values(counts).every((count) => count === 0));
});

test('a sum is unknown if a part is', () => {
  const sum = addCounts([
    { operations: 2, retries: 1, errors: { timeout: 1 } },
    { operations: 3, retries: null, errors: { timeout: 1, denied: 7 } },
  ]);
  assert.deepEqual([sum.operations, sum.retries, sum.failed], [5, null, null]);
  assert.deepEqual(Object.entries(sum.errors), [
    ['denied', 7],
    ['timeout', 2],
  ]);
});

test('the schema names the current format', () => {
  assert.ok(RESULT_SCHEMA.$id.endsWith(`:${FORMAT}`));
});
