import { LatencyHistogram } from './latency-histogram.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { HistogramState } from './latency-histogram.js'
 * @import { Timings } from './stage-meter.js'
 */

/**
 * Counts in a form that can be sent from one thread to another.
 *
 * @typedef {Record<typeof COUNTS[number], number> & { latencies: HistogramState }} PartMeterState
 */

const COUNTS = /** @type {const} */ (['operations', 'bytes', 'measured', 'measuredBytes']);

/**
 * Counts a part of a stage's operations of one kind that is told apart from the others: those on objects of about one size, or
 * those that were the first to read an object.
 */
export class PartMeter {
  /** That succeeded. */
  operations = 0;
  /** Of them. */
  bytes = 0;
  /** Of those operations, what is in a rate: neither of the warm-up nor of the drain. */
  measured = 0;
  /** Of those. */
  measuredBytes = 0;
  /** Of the operations after the warm-up. */
  latencies = new LatencyHistogram();
  #clock;
  #measuredFrom;
  #measuredUntil;

  /**
   * @param {object} [time]
   * @param {number} [time.measuredFrom] monotonic ms, as those of a StageMeter
   * @param {number} [time.measuredUntil]
   * @param {Pick<Clock, 'wasSuspended'> | null} [time.clock] null where nothing is counted but what others have
   */
  constructor({ measuredFrom = -Infinity, measuredUntil = Infinity, clock = null } = {}) {
    this.#clock = clock;
    this.#measuredFrom = measuredFrom;
    this.#measuredUntil = measuredUntil;
  }

  /** @param {number} moment monotonic ms, which is still to come, in place of measuredUntil */
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

  /** @param {PartMeterState} state what another worker has counted */
  addState(state) {
    for (const name of COUNTS) {
      this[name] += state[name];
    }
    this.latencies.addState(state.latencies);
  }
}
