import { LatencyHistogram } from './latency-histogram.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { HistogramState } from './latency-histogram.js'
 * @import { Timings } from './stage-meter.js'
 */

/** @typedef {Record<typeof COUNTS[number], number> & { latencies: HistogramState }} PartMeterState */

const COUNTS = /** @type {const} */ (['operations', 'bytes', 'measured', 'measuredBytes']);

/** Counts a subset of a stage's operations, such as operations on objects of similar size, or first reads. */
export class PartMeter {
  /** Successful operations. */
  operations = 0;
  /** Bytes of successful operations. */
  bytes = 0;
  /** Successful operations that count in rates: neither warm-up nor drain. */
  measured = 0;
  /** Bytes of the operations that count in rates. */
  measuredBytes = 0;
  /** Latencies of operations after the warm-up. */
  latencies = new LatencyHistogram();
  #clock;
  #measuredFrom;
  #measuredUntil;

  /**
   * @param {{ measuredFrom?: number, measuredUntil?: number, clock?: Pick<Clock, 'wasSuspended'> | null }} [time]
   *   monotonic ms, as in StageMeter; `clock` is null if the meter only adds up others
   */
  constructor({ measuredFrom = -Infinity, measuredUntil = Infinity, clock = null } = {}) {
    this.#clock = clock;
    this.#measuredFrom = measuredFrom;
    this.#measuredUntil = measuredUntil;
  }

  /** @param {number} moment monotonic ms, in the future; replaces measuredUntil */
  measureUntil(moment) {
    this.#measuredUntil = moment;
  }

  /**
   * @param {Pick<Timings, 'startedAt' | 'finishedAt'>} timings
   * @param {number} bytes
   */
  succeeded({ startedAt, finishedAt }, bytes) {
    this.operations += 1;
    this.bytes += bytes;
    if (finishedAt < this.#measuredFrom || this.#clock?.wasSuspended(startedAt, finishedAt)) {
      return;
    }
    this.latencies.record(finishedAt - startedAt);
    if (finishedAt <= this.#measuredUntil) {
      this.measured += 1;
      this.measuredBytes += bytes;
    }
  }

  /** @returns {PartMeterState} */
  toState() {
    const { operations, bytes, measured, measuredBytes } = this;
    return { operations, bytes, measured, measuredBytes, latencies: this.latencies.toState() };
  }

  /** @param {PartMeterState} state counts of another worker */
  addState(state) {
    for (const name of COUNTS) {
      this[name] += state[name];
    }
    this.latencies.addState(state.latencies);
  }
}
