import { Pauses } from '../../lib/store/retry.js';

/** @import { Clock } from '../../lib/measure/clock/clock.js' */

/** An alarm that uses timers, which a test may mock. */
export class TimerAlarm {
  #clock;
  #pauses = new Pauses();
  #isEnded = false;

  /** @param {Clock} clock */
  constructor(clock) {
    this.#clock = clock;
  }

  /** @param {number} moment monotonic ms */
  async waitUntil(moment) {
    while (this.#clock.now() < moment && !this.#isEnded) {
      await this.#pauses.wait(moment - this.#clock.now());
    }
  }

  endAll() {
    this.#isEnded = true;
    this.#pauses.endAll();
  }
}
