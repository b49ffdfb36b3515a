import { ByteShifts } from './byte-shifts.js';
import { SecondCounts } from './second-counts.js';
import { SUMMED_COUNTS } from './stage-counts.js';
import { StageLatencyMeter } from './stage-latencies.js';
import { WindowCounts } from './window-counts.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { LatencyHistogram } from './latency-histogram.js'
 * @import { StageLatencies, StageLatencyState } from './stage-latencies.js'
 * @import { Windows } from './window-counts.js'
 * @import { SecondCount, StageCounts } from '../model/result.js'
 * @import { Operation } from '../s3/retry.js'
 */

/**
 * The times of a finished operation, in monotonic ms.
 *
 * @typedef {Pick<Operation, 'startedAt' | 'attemptStartedAt' | 'finishedAt'>} Timings
 */

/**
 * A stage's counts in a form that can be sent from one thread to another.
 *
 * @typedef {object} StageMeterState
 * @property {StageCounts} counts
 * @property {SecondCount[]} seconds
 * @property {[second: number, bytes: number][]} byteShifts see byte-shifts.js
 * @property {readonly number[]} windows operations by window, see window-counts.js; empty where none were asked for
 * @property {StageLatencyState} histograms
 */

/** Counts one stage on one core. On the hot path it only adds numbers; what they amount to is worked out at the end. */
export class StageMeter {
  #latencies;
  #measuredFrom;
  #measuredUntil;
  #windows;
  #failedAttempts = 0;
  /** @type {Map<string, number>} */
  #errors = new Map();
  operations = 0;
  bytes = 0;
  warmupOperations = 0;
  warmupBytes = 0;
  drainOperations = 0;
  drainBytes = 0;
  retries = 0;
  throttled = 0;
  unsent = 0;
  failed = 0;
  integrityErrors = 0;
  skipped = 0;
  abandoned = 0;
  unknownOutcomes = 0;
  timeLost = 0;
  timeGivenUp = 0;

  /**
   * @param {Clock} clock
   * @param {number} startedAt monotonic ms
   * @param {object} [options]
   * @param {number} [options.measuredFrom] monotonic ms; what completes before is counted and warms the store up, and is
   *   in no rate and no percentile
   * @param {number} [options.measuredUntil] monotonic ms; what completes behind is in no rate
   * @param {Windows | null} [options.windows]
   */
  constructor(clock, startedAt, { measuredFrom = startedAt, measuredUntil = Infinity, windows = null } = {}) {
    this.seconds = new SecondCounts(clock, startedAt);
    this.byteShifts = new ByteShifts(clock);
    const second = this.seconds.secondOf(startedAt);
    this.#latencies = new StageLatencyMeter(second);
    this.#measuredFrom = measuredFrom;
    this.#measuredUntil = measuredUntil;
    this.#windows = new WindowCounts(windows);
    /** Monotonic ms of the last success, or of the stage's start. */
    this.lastSuccessAt = startedAt;
  }

  /**
   * @param {Timings} timings
   * @param {number} bytes
   */
  succeeded(timings, bytes) {
    const { startedAt, attemptStartedAt, finishedAt } = timings;
    this.operations += 1;
    this.bytes += bytes;
    this.lastSuccessAt = finishedAt;
    const second = this.seconds.add(finishedAt, bytes);
    this.byteShifts.add(second, attemptStartedAt, finishedAt, bytes);
    this.#windows.add(finishedAt);
    if (finishedAt < this.#measuredFrom) {
      this.warmupOperations += 1;
      this.warmupBytes += bytes;
    } else {
      this.#latencies.succeeded(timings, second);
      this.timeLost += attemptStartedAt - startedAt;
      if (finishedAt > this.#measuredUntil) {
        this.drainOperations += 1;
        this.drainBytes += bytes;
      }
    }
  }

  /**
   * @param {number} latency ms from the start of a successful attempt to the first byte of its answer
   * @param {number} finishedAt monotonic ms
   */
  answered(latency, finishedAt) {
    if (finishedAt >= this.#measuredFrom) {
      this.#latencies.firstByte.record(latency);
    }
  }

  /**
   * @param {number} delay ms by which an operation of an open loop started after its time
   * @param {number} startedAt monotonic ms
   */
  started(delay, startedAt) {
    if (startedAt >= this.#measuredFrom) {
      this.#latencies.startDelay.record(delay);
    }
  }

  /**
   * @param {string} kind
   * @param {number} latency ms
   * @param {number} finishedAt monotonic ms
   */
  attemptFailed(kind, latency, finishedAt) {
    this.#failedAttempts += 1;
    this.#errors.set(kind, (this.#errors.get(kind) ?? 0) + 1);
    if (finishedAt >= this.#measuredFrom) {
      this.#latencies.attempts.record(latency);
    }
  }

  /**
   * @param {Pick<Timings, 'startedAt' | 'finishedAt'>} timings of an operation that came to nothing
   * @param {number} lostUntil monotonic ms until which its time was lost
   */
  gaveUp({ startedAt, finishedAt }, lostUntil) {
    if (finishedAt >= this.#measuredFrom) {
      this.timeGivenUp += lostUntil - startedAt;
    }
  }

  /** @returns {StageCounts} */
  counts() {
    const sums = /** @type {Pick<StageCounts, typeof SUMMED_COUNTS[number]>} */ (
      Object.fromEntries(SUMMED_COUNTS.map((name) => [name, this[name]]))
    );
    const attempts = this.operations + this.#failedAttempts;
    return { ...sums, attempts, errors: Object.fromEntries([...this.#errors].sort()) };
  }

  /** Operations that have come to an end, whatever it was. */
  get done() {
    return this.operations + this.failed + this.integrityErrors + this.skipped;
  }

  /**
   * @param {number} endedAt monotonic ms
   * @returns {StageMeterState}
   */
  toState(endedAt) {
    return {
      counts: this.counts(),
      seconds: this.seconds.until(endedAt),
      byteShifts: this.byteShifts.toState(),
      windows: this.windows,
      histograms: this.#latencies.toState(),
    };
  }

  /**
   * Adds what another core has counted.
   *
   * @param {StageMeterState} state
   */
  addState({ counts, seconds, byteShifts, windows, histograms }) {
    for (const name of SUMMED_COUNTS) {
      this[name] += counts[name];
    }
    this.#failedAttempts += counts.attempts - counts.operations;
    for (const [kind, count] of Object.entries(counts.errors)) {
      this.#errors.set(kind, (this.#errors.get(kind) ?? 0) + count);
    }
    this.seconds.addSeconds(seconds);
    this.byteShifts.addState(byteShifts);
    this.#windows.addCounts(windows);
    this.#latencies.addState(histograms);
  }

  /**
   * @param {number} second that is over
   * @returns {LatencyHistogram} of the operations that completed in it
   */
  takeSecond(second) {
    return this.#latencies.takeSecond(second);
  }

  /** Operations by window, see window-counts.js; empty where none were asked for. */
  get windows() {
    return this.#windows.counts;
  }

  /** @returns {StageLatencies} */
  latencies() {
    return this.#latencies.sums();
  }
}
