import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  COMPARISON,
  STAGE_MS,
  minOperations,
  operationsOfSearch,
  shortest,
  timesOf,
} from '../../lib/search/search-plan.js';
import { WINDOW_MS } from '../../lib/search/step-rate.js';

test('the peak is held for ten full seconds after it has settled', () => {
  const { settle, minDuration, maxDuration } = timesOf('hold', { unloadedLatency: 20, latency: 20 });
  assert.deepEqual([settle, minDuration, maxDuration], [500, 10_000, 10_000]);
});

test('all times are whole windows, and a step and the hold always fit in a stage', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.01, max: 1e6, noNaN: true }),
      fc.double({ min: 1, max: 100, noNaN: true }),
      (latency, more) => {
        const expected = { unloadedLatency: latency, latency: latency * more };
        for (const phase of /** @type {const} */ (['ramp', 'refine', 'hold', ...COMPARISON])) {
          const { settle, minDuration, maxDuration } = timesOf(phase, expected);
          assert.ok([settle, minDuration, maxDuration].every((time) => time % WINDOW_MS === 0 && time > 0));
          assert.ok(minDuration <= maxDuration);
        }
        assert.ok(shortest(timesOf('ramp', expected)) + shortest(timesOf('hold', expected)) <= STAGE_MS);
      },
    ),
  );
});

test('a search needs the operations that one thread makes in twelve seconds', () => {
  assert.equal(minOperations(20), 600);
  assert.equal(minOperations(7), 1715);
});

test('a search takes at most forty seconds of the store’s rate, plus the operations in flight', () => {
  assert.equal(operationsOfSearch(5000, 100), 201_000);
});
