import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { measureCpuTime, measureEventLoop, measureLoop } from '../../lib/measure/host/client-load.js';

test('only the client’s computation during the measurement is counted', () => {
  const { cpuUser } = measureCpuTime()();
  const busy = measureCpuTime();
  compute(30);
  const load = busy();
  assert.ok(load.cpuUser > cpuUser && load.cpuUser > 5, `${load.cpuUser}ms`);
  assert.ok(load.cpuSystem >= 0);
});

test('an event loop that computes is busy, and one that waits is not', async () => {
  await nextTurn();
  const computing = measureEventLoop();
  compute(30);
  await nextTurn();
  const busy = computing();
  const waiting = measureEventLoop();
  await pause(50);
  const idle = waiting();
  assert.ok(busy <= 1 && idle >= 0 && busy > idle, `${busy} against ${idle}`);
});

test('a computing loop is busy, delays its timers, and its thread has a CPU', async () => {
  await pause(1);
  const stop = measureLoop({ now: () => performance.now() });
  await pause(120);
  compute(200);
  await pause(120);
  const { utilization, running, waiting, delayP99 } = stop();
  assert.ok(utilization > 0.1 && utilization <= 1, String(utilization));
  assert.ok(Number(delayP99) > 50, String(delayP99));
  if (process.platform === 'linux') {
    assert.ok(Number(running) > 0.02 && Number(waiting) >= 0, `${running}, ${waiting}`);
  }
});

/** Keeps the thread busy for a while. @param {number} milliseconds of CPU time */
function compute(milliseconds) {
  const data = Buffer.alloc(2 ** 20);
  const { user } = process.cpuUsage();
  while (process.cpuUsage().user - user < milliseconds * 1000) {
    hash('sha256', data);
  }
}

function nextTurn() {
  return new Promise((resolve) => setImmediate(resolve));
}
