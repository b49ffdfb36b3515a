import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { measureClientLoad } from '../../lib/meter/client-load.js';

test('what the client computes in between is measured, and only that', async () => {
  const idle = measureClientLoad();
  const { cpuUser, cpuSystem, eventLoopUtilization } = idle();
  const busy = measureClientLoad();
  const data = Buffer.alloc(16 * 1024 ** 2);
  for (let round = 0; round < 3; round++) {
    hash('sha256', data);
  }
  await new Promise((resolve) => setImmediate(resolve));
  const load = busy();
  assert.ok(load.cpuUser > cpuUser && load.cpuUser > 5, `${load.cpuUser}ms`);
  assert.ok(cpuSystem >= 0 && load.cpuSystem >= 0);
  assert.ok(eventLoopUtilization >= 0 && load.eventLoopUtilization > 0 && load.eventLoopUtilization <= 1);
});
