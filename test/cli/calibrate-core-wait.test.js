import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { coreWait, parseCoreWait } from '../../lib/cli/calibrate-core-wait.js';

test('the wait for a core is the second number, in nanoseconds', () => {
  assert.equal(parseCoreWait('834000000 1125500000 4711\n'), 1125.5);
  assert.equal(parseCoreWait('1 0 1'), 0);
});

test('what tells nothing is not taken for no wait', () => {
  for (const text of ['', '0 0 0\n', '1 2', '1 2 3 4', 'a b c', '-1 2 3']) {
    assert.equal(parseCoreWait(text), null, JSON.stringify(text));
  }
});

test('a process that has ended waits no more', async () => {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(child, 'exit');
  assert.equal(coreWait(Number(child.pid)), null);
});

test('the wait of a process that runs is known where the kernel counts it', (t) => {
  if (!existsSync('/proc/self/schedstat')) {
    t.skip('this system has no /proc/<pid>/schedstat');
    return;
  }
  const wait = coreWait(process.pid);
  assert.ok(wait === null || wait >= 0);
});
