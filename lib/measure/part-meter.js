import { LatencyHistogram } from './latency-histogram.js';

/**
 * @import { Clock } from './clock/clock.js'
 * @import { Failures, PartRecord } from '../result/records.js'
 * @import { Timings } from './stage-meter.js'
 */

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
   * @param {{ measuredFrom: number, measuredUntil?: number, clock: Pick<Clock, 'wasSuspended'> }} time monotonic ms, as in
   *   StageMeter
   */
  constructor({ measuredFrom, measuredUntil = Infinity, clock }) {
    this.#clock = clock;
    this.#measuredFrom = measuredFrom;
    this.#measuredUntil = measuredUntil;
  }

  /**
   * @param {Pick<Timings, 'startedAt' | 'finishedAt'>} timings
   * @param {number} bytes
   */
  succeeded({ startedAt, finishedAt }, bytes) {
    this.operations += 1;
    this.bytes += bytes;
    if (finishedAt < this.#measuredFrom || this.#clock.wasSuspended(startedAt, finishedAt)) {
      return;
    }
    this.latencies.record(finishedAt - startedAt);
    if (finishedAt <= this.#measuredUntil) {
      this.measured += 1;
      this.measuredBytes += bytes;
    }
  }

  /** @returns {PartRecord} */
  toRecord() {
    const { operations, bytes, measured, measuredBytes } = this;
    return { operations, bytes, measured, measuredBytes, ...this.latencies.toRecord() };
  }
}

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

  toRecord() {
    return { ...super.toRecord(), maxAge: this.maxAge };
  }
}

/** Counts a stage's operations of all kinds in one of several buckets. It counts only what is reported per bucket. */
export class BucketMeter extends PartMeter {
  /** Operations that failed, including those with wrong content. */
  failed = 0;
  /** Excludes attempts cut off by the end of the stage. */
  failedAttempts = 0;
  throttled = 0;

  /** @returns {PartRecord & Failures} */
  toRecord() {
    const { failed, failedAttempts, throttled } = this;
    return { ...super.toRecord(), failed, failedAttempts, throttled };
  }
}

/**
 * @param {number} buckets of the run
 * @param {ConstructorParameters<typeof BucketMeter>[0]} time
 * @returns {BucketMeter[] | null} by the bucket's index in the list; null for a single bucket, whose figures are the
 *   stage's, to avoid counting twice
 */
export function bucketMeters(buckets, time) {
  return buckets === 1 ? null : Array.from({ length: buckets }, () => new BucketMeter(time));
}
