import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pause } from '../../lib/run/pause.js';

test('a pause is over when its time is', async () => {
  const startedAt = performance.now();
  await pause(20, new AbortController().signal);
  assert.ok(performance.now() - startedAt >= 18);
});

test('a stop ends a pause at once, also one that has come before it', { timeout: 10_000 }, async () => {
  const controller = new AbortController();
  const waiting = pause(3_600_000, controller.signal);
  controller.abort();
  await waiting;
  await pause(3_600_000, controller.signal);
});
