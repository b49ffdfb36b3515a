import fc from 'fast-check';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { Alarm } from '../../lib/load/alarm.js';
import { measureEventLoop } from '../../lib/measure/host/client-load.js';
import { Clock } from '../../lib/measure/clock/clock.js';
import { cases } from '../helpers/cases.js';

const TIME_LIMIT = { timeout: 120_000 };

const clock = new Clock();
/** @type {Alarm} */
let alarm;

before(async () => {
  alarm = await Alarm.open(clock);
});

after(() => alarm.close());

test('waits end in order and never early, regardless of when and in which order they begin', TIME_LIMIT, async () => {
  const delays = fc.array(fc.double({ min: -1, max: 12, noNaN: true }), { minLength: 1, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(delays, async (some) => {
      const now = clock.now();
      /** @type {number[]} */
      const order = [];
      await Promise.all(
        some.map(async (delay) => {
          const moment = now + delay;
          await alarm.waitUntil(moment);
          assert.ok(clock.now() >= moment, `${moment - clock.now()} ms too early`);
          order.push(moment);
        }),
      );
      // A wait whose moment has passed does not wait for later ones.
      assert.deepEqual(
        order,
        order.toSorted((one, other) => one - other),
      );
    }),
    { numRuns: cases(60) },
  );
});

test('a wait ends closer to its moment than the timers of an event loop can', TIME_LIMIT, async () => {
  // Timers have a median lateness of at least 0.5 ms in a hundred waits. A busy machine may be late once, not every
  // time.
  let best = Infinity;
  for (let round = 0; round < 60 && best > 0.3; round += 1) {
    const late = [];
    for (let wait = 0; wait < 100; wait += 1) {
      const moment = clock.now() + 1 + wait / 100;
      await alarm.waitUntil(moment);
      late.push(clock.now() - moment);
    }
    best = Math.min(best, late.toSorted((one, other) => one - other)[50]);
  }
  assert.ok(best < 0.3, `median lateness ${best} ms`);
});

test('the event loop and the sleeping thread are idle during a wait', TIME_LIMIT, async () => {
  const [cpu, eventLoop] = [process.cpuUsage(), measureEventLoop()];
  await alarm.waitUntil(clock.now() + 500);
  const { user, system } = process.cpuUsage(cpu);
  assert.ok(user + system < 150_000, `${user + system} µs of CPU`);
  assert.ok(eventLoop() < 0.3);
});

test('cancelled waits end at once, and the alarm can be used again', TIME_LIMIT, async () => {
  const begun = clock.now();
  const waits = [3_600_000, 7_200_000].map((delay) => alarm.waitUntil(begun + delay));
  alarm.endAll();
  await Promise.all(waits);
  const next = clock.now() + 5;
  await alarm.waitUntil(next);
  assert.ok(clock.now() >= next && clock.now() < begun + 3_600_000);
});

test('closing an alarm ends its waits and its thread', TIME_LIMIT, async () => {
  const closing = await Alarm.open(clock);
  const wait = closing.waitUntil(clock.now() + 3_600_000);
  await closing.close();
  await wait;
});

test('without its thread an alarm falls back to timers and is never early', TIME_LIMIT, async (t) => {
  const [[thread], broken] = await Promise.all([once(process, 'worker'), Alarm.open(clock)]);
  t.after(() => broken.close());
  const moment = clock.now() + 40;
  const wait = broken.waitUntil(moment);
  await thread.terminate();
  await wait;
  assert.ok(clock.now() >= moment);
  const moments = [9.5, 3.25, 0.1].map((delay) => clock.now() + delay);
  await Promise.all(moments.map((each) => broken.waitUntil(each).then(() => assert.ok(clock.now() >= each))));
});
