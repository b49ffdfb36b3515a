import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { percentileOf, predictOpenLoop } from '../../bench/truth/predicted-latencies.js';

const LOAD = { rate: 100, operations: 1000, threads: 300, serviceTime: 5, stall: { from: 2000, to: 4000 } };

test('with enough threads, arrivals during a stall wait for its end, and all others take their usual time', () => {
  const { latencies, startDelays } = predictOpenLoop(LOAD);
  assert.equal(startDelays.at(-1), 0);
  assert.deepEqual(
    latencies.filter((latency) => latency > 5),
    Array.from({ length: 200 }, (_, place) => 10 * (place + 1)),
  );
});

test('p99 follows from the rate, the length of the stall and that of the load', () => {
  const { latencies } = predictOpenLoop(LOAD);
  // Two of ten seconds are stalled; 1% arrive in the first tenth of a second of the stall.
  assert.ok(Math.abs(percentileOf(latencies, 0.99) - 1900) <= 10);
});

test('an operation that finds no thread starts late, and its latency still counts from its arrival', () => {
  const { latencies, startDelays } = predictOpenLoop({ ...LOAD, threads: 10 });
  assert.ok(Number(startDelays.at(-1)) > 1800);
  assert.ok(Math.abs(percentileOf(latencies, 0.99) - 1900) <= 10);
});

test('no thread carries out two operations at a time', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 10, max: 1000 }), (threads, rate) => {
      const load = { ...LOAD, rate, threads, operations: 200, stall: { from: 0, to: 0 } };
      const { latencies } = predictOpenLoop(load);
      const longest = Math.max(0, 199 * (5 / threads - 1000 / rate)) + 5;
      assert.ok(Number(latencies.at(-1)) <= longest + 5 + 1e-6, `${latencies.at(-1)} ms, at most ${longest}`);
      assert.ok(latencies[0] >= 5 - 1e-6);
    }),
  );
});
