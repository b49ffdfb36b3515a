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

/** @typedef {PartMeterState & Record<typeof FAILURES[number], number>} BucketMeterState sent between threads */

/**
 * @typedef {{ bucket: string, state: BucketMeterState | null }} BucketShare `state` is null for the only bucket, whose
 *   counts are those of the stage
 */

const FAILURES = /** @type {const} */ (['failed', 'failedAttempts', 'throttled']);

/** Counts a stage's operations of all kinds in one of several buckets. It counts only what is reported per bucket. */
export class BucketMeter extends PartMeter {
  /** Operations that failed, including those with wrong content. */
  failed = 0;
  /** Excludes attempts cut off by the end of the stage. */
  failedAttempts = 0;
  throttled = 0;

  /** @returns {BucketMeterState} */
  toState() {
    const { failed, failedAttempts, throttled } = this;
    return { ...super.toState(), failed, failedAttempts, throttled };
  }

  /** @param {BucketMeterState} state counts of another worker */
  addState(state) {
    super.addState(state);
    for (const name of FAILURES) {
      this[name] += state[name];
    }
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
 * @returns {{ bucket: string, meter: BucketMeter | null }[]} `meter` is null if the parts have no state
 */
export function sumOfBuckets(parts) {
  return parts[0].map(({ bucket }, slot) => {
    const states = parts.flatMap((part) => part[slot].state ?? []);
    const sum = new BucketMeter();
    states.forEach((state) => sum.addState(state));
    return { bucket, meter: states.length === 0 ? null : sum };
  });
}
