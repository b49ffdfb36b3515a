import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COUNTERS, INSTRUMENTS } from '../../lib/report/telemetry/run-metrics.js';
import { COUNT_NAMES } from '../../lib/result/counters.js';

test('every counter of a result is a metric with a unit that OpenTelemetry knows', () => {
  assert.deepEqual(Object.keys(COUNTERS), COUNT_NAMES);
  for (const { name, unit } of INSTRUMENTS) {
    assert.match(unit, /^(1|s|By|\{[a-z]+\}(\/s)?)$/, name);
  }
});
