import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COUNT_NAMES } from '../../lib/result/counters.js';
import { FORMAT } from '../../lib/result/schema.js';
import { StageMeter } from '../../lib/measure/stage-meter.js';
import { ManualClock } from '../helpers/manual-clock.js';
import { RESULT_SCHEMA } from '../helpers/result-schema.js';

test('every counter has a description with its unit', () => {
  for (const name of COUNT_NAMES) {
    const { description, 'x-unit': unit } = RESULT_SCHEMA.$defs.counters.properties[name];
    assert.ok(description.endsWith('.') && unit.length > 0, name);
  }
});

test('a meter counts every counter of the table', () => {
  const clock = new ManualClock(0);
  const record = new StageMeter(clock, clock.now()).toRecord();
  assert.ok(COUNT_NAMES.every((name) => record[name] === 0));
});

test('the schema names the current format', () => {
  assert.ok(RESULT_SCHEMA.$id.endsWith(`:${FORMAT}`));
});
