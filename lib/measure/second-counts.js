import { everySecond, isPaused } from '../result/records.js';

/**
 * @import { SecondCount } from '../result/result.js'
 * @import { Clock } from './clock/clock.js'
 * @import { StageMeters } from './stage-meter.js'
 */

/** Operations and bytes by the whole epoch second in which they completed. */
export class SecondCounts {
  #clock;
  #first;
  /** Index 0 is the second in which the stage began. @type {number[]} */
  #operations = [];
  /** @type {number[]} */
  #bytes = [];
  /** @type {number[]} */
  #objectBytes = [];
  /** By epoch second; most seconds have no entry. @type {Map<number, { failedAttempts: number, throttled: number }>} */
  #failures = new Map();

  /**
   * @param {Clock} clock
   * @param {number} startedAt monotonic ms
   */
  constructor(clock, startedAt) {
    this.#clock = clock;
    this.#first = this.secondOf(startedAt);
  }

  /**
   * @param {number} finishedAt monotonic ms
   * @param {number} bytes that moved
   * @param {number} [objectBytes] size of the object, which Stat and Remove do not move
   * @returns {number} the epoch second
   */
  add(finishedAt, bytes, objectBytes = bytes) {
    const second = this.secondOf(finishedAt);
    const index = this.#indexOf(second);
    this.#operations[index] += 1;
    this.#bytes[index] += bytes;
    this.#objectBytes[index] += objectBytes;
    return second;
  }

  /**
   * @param {number} finishedAt monotonic ms at which an attempt failed
   * @param {boolean} isThrottled whether the store asked for fewer requests, or was overloaded
   */
  addFailure(finishedAt, isThrottled) {
    const second = this.secondOf(finishedAt);
    this.#indexOf(second);
    const { failedAttempts, throttled } = this.#failures.get(second) ?? { failedAttempts: 0, throttled: 0 };
    this.#failures.set(second, { failedAttempts: failedAttempts + 1, throttled: throttled + Number(isThrottled) });
  }

  /**
   * @param {number} second epoch second
   * @returns {SecondCount}
   */
  at(second) {
    const index = second - this.#first;
    return {
      secondStart: second,
      operations: this.#operations[index] ?? 0,
      bytes: this.#bytes[index] ?? 0,
      ...this.#failures.get(second),
    };
  }

  /** Bytes of the objects on which operations completed in a second. @param {number} second epoch second */
  objectBytesAt(second) {
    return this.#objectBytes[second - this.#first] ?? 0;
  }

  /**
   * Every second of the stage, including empty ones, except those in which the process was suspended.
   *
   * @param {number} endedAt monotonic ms
   * @returns {SecondCount[]}
   */
  until(endedAt) {
    const count = Math.max(Math.ceil(this.#clock.toEpoch(endedAt) / 1000) - this.#first, this.#operations.length, 1);
    const seconds = Array.from({ length: count }, (_, index) => this.at(this.#first + index));
    return everySecond(seconds, this.#clock);
  }

  /** @param {number} monotonic ms */
  secondOf(monotonic) {
    return Math.floor(this.#clock.toEpoch(monotonic) / 1000);
  }

  /** Extends the arrays to a second, and returns its index. @param {number} second epoch second of the stage */
  #indexOf(second) {
    const index = second - this.#first;
    while (this.#operations.length <= index) {
      this.#operations.push(0);
      this.#bytes.push(0);
      this.#objectBytes.push(0);
    }
    return index;
  }
}

/**
 * @typedef {object} SecondOptions
 * @property {Pick<StageMeters, 'secondOf' | 'at' | 'until'>} counts
 * @property {number} startedAt monotonic ms of the stage
 * @property {(second: ReturnType<StageMeters['at']>) => void} onSecond
 */

/**
 * Passes on each second of a stage once, in order: as soon as it is over, and the last at the stage's end. Late timers
 * never lose or repeat a second.
 */
export class SecondSampler {
  #clock;
  #counts;
  #onSecond;
  #next;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /** @param {SecondOptions & { clock: Clock }} options */
  constructor({ clock, counts, startedAt, onSecond }) {
    this.#clock = clock;
    this.#counts = counts;
    this.#onSecond = onSecond;
    this.#next = counts.secondOf(startedAt);
  }

  start() {
    // A busy event loop may be late for the next second already.
    const untilNext = Math.max((this.#next + 1) * 1000 - this.#clock.epochNow(), 0);
    this.#timer = setTimeout(() => {
      const current = Math.floor(this.#clock.epochNow() / 1000);
      while (this.#next < current) {
        if (isPaused(this.#next, this.#clock)) {
          this.#next += 1;
        } else {
          this.#handOn();
        }
      }
      this.start();
    }, untilNext);
  }

  /** @param {number} endedAt monotonic ms of the stage's end */
  stop(endedAt) {
    clearTimeout(this.#timer);
    for (const { secondStart } of this.#counts.until(endedAt)) {
      if (secondStart >= this.#next) {
        this.#next = secondStart;
        this.#handOn();
      }
    }
  }

  #handOn() {
    this.#onSecond(this.#counts.at(this.#next));
    this.#next += 1;
  }
}
