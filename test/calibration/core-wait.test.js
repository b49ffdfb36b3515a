import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { coreWait, parseCoreWait } from '../../lib/calibration/core-wait.js';

test('the wait for a core is the second number, in nanoseconds', () => {
  assert.equal(parseCoreWait('834000000 1125500000 4711\n'), 1125.5);
  assert.equal(parseCoreWait('1 0 1'), 0);
});

test('what tells nothing is not taken for no wait', () => {
  for (const text of ['', '0 0 0\n', '1 2', '1 2 3 4', 'a b c', '-1 2 3']) {
    assert.equal(parseCoreWait(text), null, JSON.stringify(text));
  }
});

test('on a system without the file, the wait is not known', () => {
  assert.equal(coreWait('/proc/self/there-is-no-such-file'), null);
});

test('the wait of this process is known where the kernel counts it', (t) => {
  if (!existsSync('/proc/self/schedstat')) {
    t.skip('this system has no /proc/self/schedstat');
    return;
  }
  const wait = coreWait();
  assert.ok(wait === null || wait >= 0);
});
