import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { measureLoop } from '../../lib/measure/host/client-load.js';

const now = () => performance.now();

/** Keeps the thread busy for a while. @param {number} milliseconds of CPU time */
function compute(milliseconds) {
  const data = Buffer.alloc(2 ** 20);
  const { user } = process.cpuUsage();
  while (process.cpuUsage().user - user < milliseconds * 1000) {
    hash('sha256', data);
  }
}

test('a computing loop is busy, delays its timers, and its thread has a CPU', async () => {
  await setTimeout(1);
  const stop = measureLoop({ now });
  await setTimeout(120);
  compute(200);
  await setTimeout(120);
  const { utilization, running, waiting, delayP99 } = stop();
  assert.ok(utilization > 0.1 && utilization <= 1, String(utilization));
  assert.ok(Number(delayP99) > 50, String(delayP99));
  if (process.platform === 'linux') {
    assert.ok(Number(running) > 0.02 && Number(waiting) >= 0, `${running}, ${waiting}`);
  }
});
