import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WritePauses, pauseMemory } from '../../lib/load/workload/mixed-objects.js';

test('only one writer may write a key, and the next one not too soon after it', () => {
  const memory = pauseMemory(2);
  const [one, other] = [new WritePauses(memory), new WritePauses(memory)];
  assert.equal(one.take(1, 10), true);
  assert.equal(other.take(1, 10), false, 'it is being written');
  assert.equal(other.take(0, 10), true, 'another key is free');
  assert.equal(other.freeFrom(1), Infinity);
  one.release(1, 1012.3);
  assert.equal(other.freeFrom(1), 1013);
  assert.equal(other.take(1, 1012.9), false);
  assert.equal(other.take(1, 1013), true);
});
