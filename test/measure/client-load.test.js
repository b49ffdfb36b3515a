import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { measureCpuTime, measureEventLoop } from '../../lib/measure/host/client-load.js';

test('only the client’s computation during the measurement is counted', () => {
  const { cpuUser } = measureCpuTime()();
  const busy = measureCpuTime();
  compute();
  const load = busy();
  assert.ok(load.cpuUser > cpuUser && load.cpuUser > 5, `${load.cpuUser}ms`);
  assert.ok(load.cpuSystem >= 0);
});

test('an event loop that computes is busy, and one that waits is not', async () => {
  await nextTurn();
  const computing = measureEventLoop();
  compute();
  await nextTurn();
  const busy = computing();
  const waiting = measureEventLoop();
  await new Promise((resolve) => setTimeout(resolve, 50));
  const idle = waiting();
  assert.ok(busy <= 1 && idle >= 0 && busy > idle, `${busy} against ${idle}`);
});

/** Takes a few tens of milliseconds. */
function compute() {
  const data = Buffer.alloc(16 * 1024 ** 2);
  for (let round = 0; round < 3; round++) {
    hash('sha256', data);
  }
}

function nextTurn() {
  return new Promise((resolve) => setImmediate(resolve));
}
