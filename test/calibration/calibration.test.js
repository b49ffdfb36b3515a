import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capacityOf } from '../../lib/calibration/calibration.js';

const MEASUREMENT = Object.freeze({
  stage: /** @type {const} */ ('Stat'),
  operationsPerSecond: 9000,
  eventLoopUtilization: 0.9,
  coreShare: 0.97,
  endpointUtilization: 0.7,
});

test('an event loop with 90% utilization can drive a ninth more', () => {
  assert.deepEqual(capacityOf(MEASUREMENT), {
    stage: 'Stat',
    operationsPerSecond: 10_000,
    unproven: null,
    eventLoopUtilization: 0.9,
    endpointUtilization: 0.7,
  });
});

test('a stage is unproven if, and only if, the endpoint was busier than the client', () => {
  const share = fc.double({ min: 0.01, max: 1, noNaN: true });
  fc.assert(
    fc.property(share, share, (eventLoopUtilization, endpointUtilization) => {
      const capacity = capacityOf({ ...MEASUREMENT, eventLoopUtilization, endpointUtilization });
      if (endpointUtilization > eventLoopUtilization) {
        assert.equal(capacity.operationsPerSecond, null);
        assert.match(String(capacity.unproven), /^the endpoint was busier \(\d+%\) than the client \(\d+%\)/);
      } else {
        assert.equal(capacity.operationsPerSecond, 9000 / eventLoopUtilization);
        assert.equal(capacity.unproven, null);
      }
    }),
  );
});

test('a stage is unproven if the event loop had work but no core', () => {
  const { operationsPerSecond, unproven } = capacityOf({ ...MEASUREMENT, coreShare: 0.62 });
  assert.equal(operationsPerSecond, null);
  assert.match(String(unproven), /^the client got a core for only 62% of the time that it needed one/);
});

test('a stage without successful operations is unproven', () => {
  const idle = { ...MEASUREMENT, eventLoopUtilization: 0, endpointUtilization: 0 };
  for (const measurement of [{ ...MEASUREMENT, operationsPerSecond: 0 }, idle]) {
    assert.equal(capacityOf(measurement).unproven, 'no operation succeeded');
  }
});
