import { test } from 'node:test';
import assert from 'node:assert/strict';
import { Gate } from '../../lib/http/gate.js';

test('so many pass at a time, and the others in the order in which they came', async () => {
  const gate = new Gate(2);
  /** @type {number[]} */
  const inside = [];
  const enter = async (/** @type {number} */ number) => {
    await gate.enter();
    inside.push(number);
  };
  const all = [1, 2, 3, 4].map(enter);
  await Promise.all(all.slice(0, 2));
  assert.deepEqual(inside, [1, 2]);
  gate.leave();
  await all[2];
  assert.deepEqual(inside, [1, 2, 3]);
  gate.leave();
  await all[3];
  gate.leave();
  gate.leave();
  await Promise.all([enter(5), enter(6)]);
  assert.deepEqual(inside, [1, 2, 3, 4, 5, 6]);
});
