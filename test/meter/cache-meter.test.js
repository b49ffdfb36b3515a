import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CacheMeter } from '../../lib/meter/part-meter.js';

const from = (/** @type {number} */ startedAt) => ({
  startedAt,
  attemptStartedAt: startedAt,
  finishedAt: startedAt + 5,
});

test('cache responses are counted with the highest age', () => {
  const [one, other, sum] = [new CacheMeter({ measuredFrom: 100 }), new CacheMeter(), new CacheMeter()];
  one.answered(from(0), 10, -1);
  one.answered(from(200), 10, 7);
  other.answered(from(300), 10, 3);
  [one, other].forEach((meter) => sum.addState(structuredClone(meter.toState())));
  const { operations, bytes, measured, maxAge, latencies } = sum;
  assert.deepEqual(
    { operations, bytes, measured, maxAge, latencies: latencies.count },
    { operations: 3, bytes: 30, measured: 2, maxAge: 7, latencies: 2 },
  );
});

test('without a response, the age is unknown', () => {
  assert.equal(new CacheMeter().maxAge, -1);
});
