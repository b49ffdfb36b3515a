import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { percentileOf, predictOpenLoop } from '../../bench/truth/predicted-latencies.js';

const LOAD = { rate: 100, operations: 1000, threads: 300, serviceTime: 5, stall: { from: 2000, to: 4000 } };

test('with threads enough, what arrives in a stall waits for its end, and all else takes its time', () => {
  const { latencies, startDelays } = predictOpenLoop(LOAD);
  assert.equal(startDelays.at(-1), 0);
  assert.deepEqual(
    latencies.filter((latency) => latency > 5),
    Array.from({ length: 200 }, (_, place) => 10 * (place + 1)),
  );
});

test('p99 is what the rate, the length of the stall and that of the load make it', () => {
  const { latencies } = predictOpenLoop(LOAD);
  // A fifth of ten seconds is stalled; one in a hundred arrives in its first tenth of a second.
  assert.ok(Math.abs(percentileOf(latencies, 0.99) - 1900) <= 10);
});

test('what finds no thread starts late, and has its latency from the arrival all the same', () => {
  const { latencies, startDelays } = predictOpenLoop({ ...LOAD, threads: 10 });
  assert.ok(Number(startDelays.at(-1)) > 1800);
  assert.ok(Math.abs(percentileOf(latencies, 0.99) - 1900) <= 10);
});

test('no thread carries out two operations at the same time', () => {
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
