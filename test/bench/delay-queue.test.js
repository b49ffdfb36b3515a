import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DelayQueue } from '../../bench/delay-queue.js';

const DELAY = 50;
const HALF_MILLISECOND = 0.5;

/** A clock that advances only at wake-ups, by the time that the queue asked for plus a lateness. */
class LateClock {
  #lateness;
  /** @type {(() => void) | null} */
  #callback = null;
  #wakeAt = 0;
  time = 0;
  now = () => this.time;

  /** @param {() => number} lateness ms of the next wake-up */
  constructor(lateness) {
    this.#lateness = lateness;
  }

  /**
   * @param {() => void} callback
   * @param {number} delay
   */
  wake = (callback, delay) => {
    assert.equal(this.#callback, null, 'one timer at a time is enough');
    this.#callback = callback;
    this.#wakeAt = this.time + Math.max(delay, 1) + this.#lateness();
  };

  goOn() {
    const callback = this.#callback;
    this.#callback = null;
    this.time = Math.max(this.time, this.#wakeAt);
    callback?.();
  }

  /** Runs until nothing is awaited. */
  runOut() {
    while (this.#callback !== null) {
      this.goOn();
    }
  }
}

test('each callback comes in its turn, at most half a millisecond early', () => {
  const steps = fc.array(fc.record({ pause: fc.double({ min: 0, max: 30, noNaN: true }), wakes: fc.boolean() }), {
    minLength: 1,
  });
  const latenesses = fc.infiniteStream(fc.double({ min: 0, max: 3, noNaN: true }));
  fc.assert(
    fc.property(steps, latenesses, (additions, lateness) => {
      const clock = new LateClock(() => lateness.next().value ?? 0);
      const queue = new DelayQueue({ delay: DELAY, now: clock.now, wake: clock.wake });
      /** @type {number[]} */
      const order = [];
      additions.forEach(({ pause, wakes }, number) => {
        clock.time += pause;
        const addedAt = clock.time;
        queue.add(() => {
          order.push(number);
          assert.ok(clock.time >= addedAt + DELAY - HALF_MILLISECOND);
        });
        if (wakes) {
          clock.goOn();
        }
      });
      clock.runOut();
      assert.deepEqual(order, [...additions.keys()]);
    }),
  );
});

test('a callback that adds another is called back again', () => {
  const clock = new LateClock(() => 0);
  const queue = new DelayQueue({ delay: DELAY, now: clock.now, wake: clock.wake });
  /** @type {number[]} */
  const times = [];
  const again = () => {
    times.push(clock.time);
    if (times.length < 3) {
      queue.add(again);
    }
  };
  queue.add(again);
  clock.runOut();
  assert.deepEqual(times, [DELAY, 2 * DELAY, 3 * DELAY]);
});
