import { largestWholeSecond } from '../model/seconds.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { ByteShifts } from './byte-shifts.js'
 * @import { SecondCount } from '../model/result.js'
 * @import { MeasuredTime } from '../model/seconds.js'
 */

/** Operations and bytes by the whole epoch second in which they completed. */
export class SecondCounts {
  #clock;
  #first;
  /** The place of the second in which a stage began is 0. @type {number[]} */
  #operations = [];
  /** @type {number[]} */
  #bytes = [];
  /** By epoch second: most have none. @type {Map<number, { failedAttempts: number, throttled: number }>} */
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
   * @param {number} bytes
   * @returns {number} the epoch second
   */
  add(finishedAt, bytes) {
    const second = this.secondOf(finishedAt);
    const place = this.#placeOf(second);
    this.#operations[place] += 1;
    this.#bytes[place] += bytes;
    return second;
  }

  /**
   * @param {number} finishedAt monotonic ms at which an attempt failed
   * @param {boolean} isThrottled whether the store asked for fewer requests by it
   */
  addFailure(finishedAt, isThrottled) {
    const second = this.secondOf(finishedAt);
    this.#placeOf(second);
    this.#addFailures(second, 1, Number(isThrottled));
  }

  /**
   * @param {number} second epoch second
   * @returns {SecondCount}
   */
  at(second) {
    const place = second - this.#first;
    return {
      secondStart: second,
      operations: this.#operations[place] ?? 0,
      bytes: this.#bytes[place] ?? 0,
      ...this.#failures.get(second),
    };
  }

  /**
   * Every second that a stage touched, including those without an operation, except those of a pause.
   *
   * @param {number} endedAt monotonic ms
   * @returns {SecondCount[]}
   */
  until(endedAt) {
    const count = Math.max(Math.ceil(this.#clock.toEpoch(endedAt) / 1000) - this.#first, this.#operations.length, 1);
    return Array.from({ length: count }, (_, place) => this.#first + place)
      .filter((second) => !this.isPaused(second))
      .map((second) => this.at(second));
  }

  /**
   * @param {number} second epoch second
   * @returns {boolean} whether the process was suspended all of it
   */
  isPaused(second) {
    return this.#clock.pausedBetween(1000 * second, 1000 * (second + 1)) === 1000;
  }

  /**
   * Adds what another core has counted.
   *
   * @param {readonly SecondCount[]} seconds
   */
  addSeconds(seconds) {
    for (const { secondStart, operations, bytes, failedAttempts = 0, throttled = 0 } of seconds) {
      const place = this.#placeOf(secondStart);
      this.#operations[place] += operations;
      this.#bytes[place] += bytes;
      this.#addFailures(secondStart, failedAttempts, throttled);
    }
  }

  /**
   * @param {number} second epoch second
   * @param {number} failedAttempts
   * @param {number} throttled
   */
  #addFailures(second, failedAttempts, throttled) {
    if (failedAttempts > 0) {
      const before = this.#failures.get(second) ?? { failedAttempts: 0, throttled: 0 };
      this.#failures.set(second, {
        failedAttempts: before.failedAttempts + failedAttempts,
        throttled: before.throttled + throttled,
      });
    }
  }

  /** @param {number} monotonic ms */
  secondOf(monotonic) {
    return Math.floor(this.#clock.toEpoch(monotonic) / 1000);
  }

  /**
   * @param {number} second epoch second, not before the first one
   * @returns {number} its place, which there is room for
   */
  #placeOf(second) {
    const place = second - this.#first;
    while (this.#operations.length <= place) {
      this.#operations.push(0);
      this.#bytes.push(0);
    }
    return place;
  }
}

/**
 * As peakOf(), for bytes, with those of an operation spread over the seconds that it took.
 *
 * @param {readonly SecondCount[]} seconds
 * @param {ByteShifts} shifts
 * @param {MeasuredTime} stage with its mean in bytes/s
 * @returns {number} bytes/s
 */
export function peakBytesOf(seconds, shifts, stage) {
  return largestWholeSecond(seconds, stage, ({ secondStart, bytes }) => Math.round(bytes + shifts.at(secondStart)));
}
