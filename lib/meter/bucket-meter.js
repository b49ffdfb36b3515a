import { LatencyHistogram } from './latency-histogram.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { HistogramState } from './latency-histogram.js'
 * @import { Timings } from './stage-meter.js'
 */

/**
 * A bucket's counts in a form that can be sent to another thread.
 *
 * @typedef {Record<typeof COUNTS[number], number> & { latencies: HistogramState }} BucketMeterState
 */

/** @typedef {{ bucket: string, state: BucketMeterState | null }} BucketShare null for the only bucket: see the stage's meter */

const COUNTS = /** @type {const} */ (['operations', 'drained', 'failed', 'failedAttempts', 'throttled']);

/** Counts a stage's operations of all kinds in one of several buckets. It counts only what is reported per bucket. */
export class BucketMeter {
  /** Successful operations. */
  operations = 0;
  /** Successful operations that completed after the stage's time and are excluded from rates. */
  drained = 0;
  /** Operations that failed, including those with wrong content. */
  failed = 0;
  /** Excludes attempts cut off by the end of the stage. */
  failedAttempts = 0;
  throttled = 0;
  /** Latencies of operations after the warm-up. */
  latencies = new LatencyHistogram();
  #clock;
  #measuredFrom;
  #measuredUntil;

  /**
   * @param {object} [time]
   * @param {number} [time.measuredFrom] monotonic ms, as in StageMeter
   * @param {number} [time.measuredUntil]
   * @param {Pick<Clock, 'wasSuspended'> | null} [time.clock] null if the meter only adds up others
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

  /** @param {Pick<Timings, 'startedAt' | 'finishedAt'>} timings */
  succeeded({ startedAt, finishedAt }) {
    this.operations += 1;
    if (finishedAt >= this.#measuredFrom && !this.#clock?.wasSuspended(startedAt, finishedAt)) {
      this.latencies.record(finishedAt - startedAt);
      this.drained += Number(finishedAt > this.#measuredUntil);
    }
  }

  /** Operations that count in the bucket's rate. */
  get measured() {
    return this.latencies.count - this.drained;
  }

  /** @returns {BucketMeterState} */
  toState() {
    const { operations, drained, failed, failedAttempts, throttled } = this;
    return { operations, drained, failed, failedAttempts, throttled, latencies: this.latencies.toState() };
  }

  /** @param {BucketMeterState} state counts of another worker */
  addState(state) {
    for (const name of COUNTS) {
      this[name] += state[name];
    }
    this.latencies.addState(state.latencies);
  }
}

/**
 * @param {number} buckets of the run
 * @param {ConstructorParameters<typeof BucketMeter>[0]} [time]
 * @returns {BucketMeter[] | null} by the bucket's index in the list; null for a single bucket, whose figures are the
 *   stage's, to avoid counting twice
 */
export function bucketMeters(buckets, time) {
  return buckets === 1 ? null : Array.from({ length: buckets }, () => new BucketMeter(time));
}

/**
 * @param {readonly (readonly BucketShare[])[]} parts of a stage, each with the same buckets; at least one
 * @returns {{ bucket: string, meter: BucketMeter | null }[]} null if the parts have no state
 */
export function sumOfBuckets(parts) {
  return parts[0].map(({ bucket }, slot) => {
    const states = parts.flatMap((part) => part[slot].state ?? []);
    const sum = new BucketMeter();
    states.forEach((state) => sum.addState(state));
    return { bucket, meter: states.length === 0 ? null : sum };
  });
}
