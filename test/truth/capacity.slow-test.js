import assert from 'node:assert/strict';
import { test } from 'node:test';
import { searchCeiling } from '../../bench/truth/capacities.js';

const RATE = 300;

/** A rate-limited bucket saves up a little, and answers due before the measured time may arrive in it. */
const MAX_EXCESS = 1.05;

const HOLD = 10;

// The short version of `npm run truth`. A busy machine may keep the search from reaching the peak, but the bucket never
// exceeds its rate.
test('the search for the peak of a queueing bucket finds no more than the bucket’s rate', async () => {
  const {
    search,
    bottleneck: { cause, certainty },
  } = await searchCeiling({ rate: RATE, delay: 10 });
  const { steps, knee, capacity } = search;
  assert.ok(steps.length >= 3);
  assert.ok(cause === 'store' || certainty !== 'proven', cause);
  assert.ok(capacity.operationsPerSecond <= MAX_EXCESS * RATE, `${capacity.operationsPerSecond} ops/s`);
  assert.ok(capacity.low <= capacity.operationsPerSecond && capacity.operationsPerSecond <= capacity.high);
  assert.ok(capacity.seconds >= HOLD);
  const held = steps.filter((/** @type {any} */ { phase }) => phase === 'hold');
  assert.deepEqual(
    held.map((/** @type {any} */ { threads, operationsPerSecond }) => [threads, operationsPerSecond]),
    [[capacity.threads, capacity.operationsPerSecond]],
    'the capacity is what the hold measured',
  );
  assert.ok(knee === null || steps.some((/** @type {any} */ { threads }) => threads === knee));
});
