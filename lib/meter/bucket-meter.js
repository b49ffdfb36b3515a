import { LatencyHistogram } from './latency-histogram.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { HistogramState } from './latency-histogram.js'
 * @import { Timings } from './stage-meter.js'
 */

/**
 * A bucket's counts in a form that can be sent from one thread to another.
 *
 * @typedef {Record<typeof COUNTS[number], number> & { latencies: HistogramState }} BucketMeterState
 */

/** @typedef {{ bucket: string, state: BucketMeterState | null }} BucketShare null where it is the only one: see the stage's meter */

const COUNTS = /** @type {const} */ (['operations', 'drained', 'failed', 'failedAttempts', 'throttled']);

/** Counts a stage's operations in one of several buckets, of whatever kind. What only the stage has is not counted again. */
export class BucketMeter {
  /** That succeeded. */
  operations = 0;
  /** Of those, what completed after the time of the stage, and is in no rate. */
  drained = 0;
  /** Operations that came to nothing, those with wrong content included. */
  failed = 0;
  /** But for those that the end of the stage cut off. */
  failedAttempts = 0;
  throttled = 0;
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

  /** @param {Pick<Timings, 'startedAt' | 'finishedAt'>} timings */
  succeeded({ startedAt, finishedAt }) {
    this.operations += 1;
    if (finishedAt >= this.#measuredFrom && !this.#clock?.wasSuspended(startedAt, finishedAt)) {
      this.latencies.record(finishedAt - startedAt);
      this.drained += Number(finishedAt > this.#measuredUntil);
    }
  }

  /** Operations that are in the bucket's rate. */
  get measured() {
    return this.latencies.count - this.drained;
  }

  /** @returns {BucketMeterState} */
  toState() {
    const { operations, drained, failed, failedAttempts, throttled } = this;
    return { operations, drained, failed, failedAttempts, throttled, latencies: this.latencies.toState() };
  }

  /** @param {BucketMeterState} state what another worker has counted */
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
 * @returns {BucketMeter[] | null} by the bucket's place in the list; null where it is the only one, whose figures are those
 *   of the stage: nothing needs to be counted twice
 */
export function bucketMeters(buckets, time) {
  return buckets === 1 ? null : Array.from({ length: buckets }, () => new BucketMeter(time));
}

/**
 * @param {readonly (readonly BucketShare[])[]} parts of a stage, each with the same buckets; at least one
 * @returns {{ bucket: string, meter: BucketMeter | null }[]} null as in the parts
 */
export function sumOfBuckets(parts) {
  return parts[0].map(({ bucket }, slot) => {
    const states = parts.flatMap((part) => part[slot].state ?? []);
    const sum = new BucketMeter();
    states.forEach((state) => sum.addState(state));
    return { bucket, meter: states.length === 0 ? null : sum };
  });
}
