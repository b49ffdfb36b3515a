import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pause, waitUntil } from '../../lib/measure/clock/pause.js';
import { ManualClock } from '../helpers/manual-clock.js';
import { SimulatedTime } from '../helpers/simulated-time.js';

const NOW = Date.parse('2026-01-31T11:59:30Z');
const NEVER = new AbortController().signal;
const HOUR_MS = 3_600_000;

test('a pause ends on time', async () => {
  const startedAt = performance.now();
  await pause(20, new AbortController().signal);
  assert.ok(performance.now() - startedAt >= 18);
});

test('a stop ends a pause immediately, even if it came first', { timeout: 120_000 }, async () => {
  const controller = new AbortController();
  const waiting = pause(3_600_000, controller.signal);
  controller.abort();
  await waiting;
  await pause(3_600_000, controller.signal);
});

test('a wait may exceed the limit of a timer', async (t) => {
  const time = new SimulatedTime(t, NOW);
  const hours = 30 * 24;
  let isOver = false;
  const waiting = waitUntil(time.clock.now() + hours * HOUR_MS, time.clock, NEVER).then(() => (isOver = true));
  for (let hour = 0; hour < hours; hour++) {
    assert.equal(isOver, false, `over after ${hour} hours`);
    await time.leap(HOUR_MS);
  }
  await waiting;
});

test('does not wait for a time in the past', async () => {
  const clock = new ManualClock(NOW);
  await waitUntil(clock.now() - 1, clock, NEVER);
});
