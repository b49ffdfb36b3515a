import { PartMeter } from './part-meter.js';

/**
 * @import { PartMeterState } from './part-meter.js'
 * @import { Timings } from './stage-meter.js'
 */

/** @typedef {PartMeterState & { maxAge: number, oldReads: number, oldFor: number }} CacheMeterState */

/** Counts the operations with one cache status. */
export class CacheMeter extends PartMeter {
  /** The highest Age of a response, in s; -1 if no response had one. */
  maxAge = -1;
  /** Operations that got an older version than the one in the store. */
  oldReads = 0;
  /** The longest time in ms between the replacement of a version and a read that still got it. */
  oldFor = 0;

  /**
   * @param {Pick<Timings, 'startedAt' | 'finishedAt'>} timings
   * @param {number} bytes
   * @param {number} age of the response in s; -1 if unknown
   */
  answered(timings, bytes, age) {
    this.succeeded(timings, bytes);
    this.maxAge = Math.max(this.maxAge, age);
  }

  /** @param {number} replacedFor ms since the received version was replaced */
  wasOld(replacedFor) {
    this.oldReads += 1;
    this.oldFor = Math.max(this.oldFor, replacedFor);
  }

  /** @returns {CacheMeterState} */
  toState() {
    const { maxAge, oldReads, oldFor } = this;
    return { ...super.toState(), maxAge, oldReads, oldFor };
  }

  /** @param {CacheMeterState} state counts of another worker */
  addState(state) {
    super.addState(state);
    this.maxAge = Math.max(this.maxAge, state.maxAge);
    this.oldReads += state.oldReads;
    this.oldFor = Math.max(this.oldFor, state.oldFor);
  }
}
