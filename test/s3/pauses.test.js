import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { Pauses } from '../../lib/s3/pauses.js';

/** @import { TestContext } from 'node:test' */

/** @param {TestContext} t */
function pausesWithTimers(t) {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  return new Pauses();
}

/** Lets everything go on that waits for no timer. */
async function settle() {
  await new Promise((resolve) => setImmediate(resolve));
}

test('a pause lasts its time', async (t) => {
  const pauses = pausesWithTimers(t);
  let over = false;
  const pause = pauses.wait(1000).then(() => (over = true));
  mock.timers.tick(999);
  await settle();
  assert.equal(over, false);
  mock.timers.tick(1);
  await pause;
});

test('all pauses can be ended at once, and later ones are not concerned', async (t) => {
  const pauses = pausesWithTimers(t);
  const waiting = [pauses.wait(10), pauses.wait(30_000), pauses.wait(1e6)];
  pauses.endAll();
  await Promise.all(waiting);
  let over = false;
  pauses.wait(50).then(() => (over = true));
  await settle();
  assert.equal(over, false);
  mock.timers.tick(50);
  await settle();
  assert.equal(over, true);
});

test('a pause that is over is not ended again', async (t) => {
  const pauses = pausesWithTimers(t);
  const pause = pauses.wait(5);
  mock.timers.tick(5);
  await pause;
  pauses.endAll();
});
