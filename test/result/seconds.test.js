import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addSecond, peakOf } from '../../lib/result/seconds.js';

test('a peak is never below the mean, and never above both the mean and every second', () => {
  const counts = fc.array(fc.nat(10_000), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(counts, fc.nat(999), fc.nat(999), fc.nat(5000), (operations, from, to, average) => {
      const seconds = operations.map((count, place) => ({ secondStart: place, operations: count, bytes: 0 }));
      const stage = { startedAt: from, endedAt: (operations.length - 1) * 1000 + to, average };
      const peak = peakOf(seconds, stage);
      assert.ok(peak >= average && peak <= Math.max(average, ...operations));
      assert.ok(peak === average || operations.includes(peak));
    }),
  );
});

test('adds failed attempts of a second over hosts, and omits them if there are none', () => {
  const second = { secondStart: 5, operations: 0, bytes: 0, p50: null, p99: null, maximum: null, histogram: null };
  const sum = addSecond([
    { ...second, failedAttempts: 2, throttled: 1 },
    second,
    { ...second, failedAttempts: 3, throttled: 0 },
  ]);
  assert.deepEqual([sum.failedAttempts, sum.throttled], [5, 1]);
  assert.ok(!Object.hasOwn(addSecond([second, second]), 'failedAttempts'));
});
