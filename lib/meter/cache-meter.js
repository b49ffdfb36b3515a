import { PartMeter } from './part-meter.js';

/**
 * @import { PartMeterState } from './part-meter.js'
 * @import { Timings } from './stage-meter.js'
 */

/** @typedef {PartMeterState & { maxAge: number }} CacheMeterState */

/** Counts the operations with one cache status. */
export class CacheMeter extends PartMeter {
  /** The highest Age of a response, in s; -1 if no response had one. */
  maxAge = -1;

  /**
   * @param {Pick<Timings, 'startedAt' | 'finishedAt'>} timings
   * @param {number} bytes
   * @param {number} age of the response in s; -1 if unknown
   */
  answered(timings, bytes, age) {
    this.succeeded(timings, bytes);
    this.maxAge = Math.max(this.maxAge, age);
  }

  /** @returns {CacheMeterState} */
  toState() {
    return { ...super.toState(), maxAge: this.maxAge };
  }

  /** @param {CacheMeterState} state counts of another worker */
  addState(state) {
    super.addState(state);
    this.maxAge = Math.max(this.maxAge, state.maxAge);
  }
}
