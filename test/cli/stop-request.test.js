import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { StopRequest } from '../../lib/cli/stop-request.js';

/** A process that is sent signals, and writes down the statuses with which it was to end. */
class FakeProcess extends EventEmitter {
  /** @type {unknown[]} */
  statuses = [];

  /** @param {unknown} status */
  exit(status) {
    this.statuses.push(status);
    return /** @type {never} */ (undefined);
  }
}

test('signals after the end of a run stop what still waits, and leave the status that its result has', () => {
  for (const settled of [0, 1, 3]) {
    const fake = new FakeProcess();
    const stopRequest = new StopRequest(fake);
    stopRequest.listen();
    stopRequest.settle(settled);
    fake.emit('SIGINT', 'SIGINT');
    assert.deepEqual([stopRequest.signal.aborted, stopRequest.status, fake.statuses], [true, settled, []]);
    fake.emit('SIGTERM', 'SIGTERM');
    assert.deepEqual(fake.statuses, [settled]);
  }
});

test('the second signal ends the process, whatever else has asked for a stop before the first', () => {
  const fake = new FakeProcess();
  const stopRequest = new StopRequest(fake);
  let secondSignals = 0;
  stopRequest.onSecondSignal = () => (secondSignals += 1);
  stopRequest.listen();
  stopRequest.outputLost(true);
  fake.emit('SIGINT', 'SIGINT');
  assert.deepEqual([stopRequest.signal.aborted, stopRequest.status, secondSignals, fake.statuses], [true, 141, 0, []]);
  fake.emit('SIGTERM', 'SIGTERM');
  assert.deepEqual([secondSignals, fake.statuses], [1, [143]]);
});
