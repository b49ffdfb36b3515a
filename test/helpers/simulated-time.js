import { syncBuiltinESMExports } from 'node:module';
import { mock } from 'node:test';
import { ManualClock } from './manual-clock.js';

/** @import { TestContext } from 'node:test' */

/**
 * Time that passes only while a test waits, one millisecond per step, for timers and clock alike. Seconds of waiting take an
 * instant, and the load of the machine does not matter.
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
    // Modules import the timers by name.
    syncBuiltinESMExports();
    t.after(() => this.end());
  }

  /** This host's epoch ms, whatever the clock was set to. */
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

  /** @param {number} milliseconds that pass in one step */
  async leap(milliseconds) {
    this.#passed += milliseconds;
    this.clock.advance(milliseconds);
    mock.timers.tick(milliseconds);
    await settle();
  }

  /**
   * Lets time pass until a promise settles.
   *
   * @template Value
   * @param {Promise<Value>} awaited
   * @param {number} [longest] ms after which the test fails
   * @returns {Promise<Value>}
   */
  async until(awaited, longest = 60_000) {
    let isOver = false;
    const ended = awaited.finally(() => (isOver = true));
    // The caller handles its failure, once time has stopped.
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

/** Runs everything that does not wait for a timer. */
function settle() {
  return new Promise((resolve) => setImmediate(resolve));
}
