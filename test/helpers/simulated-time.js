import { syncBuiltinESMExports } from 'node:module';
import { mock } from 'node:test';
import { ManualClock } from './manual-clock.js';

/** @import { TestContext } from 'node:test' */

/**
 * Time that passes only while a test waits for something, a millisecond at a step, for timers and a clock alike: seconds
 * of waiting take a moment, and a busy machine changes nothing.
 */
export class SimulatedTime {
  #epochStart;
  #passed = 0;

  /**
   * @param {TestContext} t
   * @param {number} epochStart ms
   */
  constructor(t, epochStart) {
    this.#epochStart = epochStart;
    this.clock = new ManualClock(epochStart);
    mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
    // Modules have imported the timers by name.
    syncBuiltinESMExports();
    t.after(() => this.end());
  }

  /** Epoch ms of this host, whatever the clock was set to. */
  get hostTime() {
    return this.#epochStart + this.#passed;
  }

  /** @param {number} milliseconds */
  async pass(milliseconds) {
    await settle();
    for (let step = 0; step < milliseconds; step++) {
      await this.leap(1);
    }
  }

  /** @param {number} milliseconds that pass at one step */
  async leap(milliseconds) {
    this.#passed += milliseconds;
    this.clock.advance(milliseconds);
    mock.timers.tick(milliseconds);
    await settle();
  }

  /**
   * Lets time pass until something has happened.
   *
   * @template Value
   * @param {Promise<Value>} awaited
   * @param {number} [longest] ms after which the test fails
   * @returns {Promise<Value>}
   */
  async until(awaited, longest = 60_000) {
    let isOver = false;
    const ended = awaited.finally(() => (isOver = true));
    // Its failure is the caller's to see, once time has stopped.
    ended.catch(() => {});
    const startedAt = this.#passed;
    for (await settle(); !isOver; await this.pass(1)) {
      if (this.#passed - startedAt >= longest) {
        throw new Error(`nothing happened within ${longest} simulated ms`);
      }
    }
    return ended;
  }

  end() {
    mock.timers.reset();
    syncBuiltinESMExports();
  }
}

/** Lets everything go on that waits for no timer. */
function settle() {
  return new Promise((resolve) => setImmediate(resolve));
}
