import { Worker } from 'node:worker_threads';

/** @import { Clock } from '../measure/clock/clock.js' */

/**
 * Memory shared by an alarm and its sleeping thread, which reads `moment` (the system's monotonic ms) after each change of `turn`.
 *
 * @typedef {{ moment: Float64Array, turn: Int32Array, isOver: Int32Array }} AlarmMemory
 *
 * @typedef {{ moment: number, resolve: () => void }} Waiting
 */

/** @returns {AlarmMemory} */
function alarmMemory() {
  const memory = new SharedArrayBuffer(16);
  return {
    moment: new Float64Array(memory, 0, 1),
    turn: new Int32Array(memory, 8, 1),
    isOver: new Int32Array(memory, 12, 1),
  };
}

/**
 * Resolves each wait on time, never early. Event loop timers count whole milliseconds and typically fire 0.7 ms late;
 * polling the clock would keep the event loop busy. A sleeping thread is ten times more precise than timers, at the
 * same cost.
 */
export class Alarm {
  #clock;
  #memory = alarmMemory();
  #worker;
  #begun;
  /** Ordered by moment. @type {Waiting[]} */
  #waiting = [];
  /** Used once the thread has exited. @type {NodeJS.Timeout | undefined} */
  #timer;
  #hasThread = true;

  /**
   * @param {Clock} clock
   * @returns {Promise<Alarm>} once its thread has started or failed to start
   */
  static async open(clock) {
    const alarm = new Alarm(clock);
    await alarm.#begun;
    return alarm;
  }

  /** @param {Clock} clock */
  constructor(clock) {
    this.#clock = clock;
    this.#worker = new Worker(new URL('./alarm-worker.js', import.meta.url), {
      workerData: this.#memory,
    });
    this.#worker.on('message', () => this.#ring());
    // If the thread fails, timers replace it: operations start a little later, which their start delays show.
    this.#worker.on('error', () => {});
    this.#worker.on('exit', () => {
      this.#hasThread = false;
      this.#setForNext();
    });
    this.#begun = new Promise((resolve) => this.#worker.once('online', resolve).once('exit', resolve));
  }

  /**
   * @param {number} moment monotonic ms
   * @returns {Promise<void>} resolves at that moment, or earlier if {@link endAll} is called
   */
  waitUntil(moment) {
    return new Promise((resolve) => {
      const previous = this.#waiting.findLastIndex((waiting) => waiting.moment <= moment);
      this.#waiting.splice(previous + 1, 0, { moment, resolve });
      if (previous === -1) {
        this.#setForNext();
      }
    });
  }

  endAll() {
    this.#waiting.splice(0).forEach(({ resolve }) => resolve());
  }

  async close() {
    this.endAll();
    clearTimeout(this.#timer);
    Atomics.store(this.#memory.isOver, 0, 1);
    this.#wakeThread();
    await this.#worker.terminate();
  }

  #ring() {
    const now = this.#clock.now();
    while (this.#waiting.length > 0 && this.#waiting[0].moment <= now) {
      this.#waiting.shift()?.resolve();
    }
    this.#setForNext();
  }

  #setForNext() {
    if (this.#waiting.length === 0) {
      return;
    }
    const [{ moment }] = this.#waiting;
    if (this.#hasThread) {
      this.#memory.moment[0] = this.#clock.toSystem(moment);
      this.#wakeThread();
    } else {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#ring(), Math.max(moment - this.#clock.now(), 0));
    }
  }

  #wakeThread() {
    Atomics.add(this.#memory.turn, 0, 1);
    Atomics.notify(this.#memory.turn, 0);
  }
}
