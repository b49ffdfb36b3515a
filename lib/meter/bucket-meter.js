import { PartMeter } from './part-meter.js';

/** @import { PartMeterState } from './part-meter.js' */

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
