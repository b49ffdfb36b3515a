import { LatencyHistogram } from './latency-histogram.js';
import { SecondCounts } from './second-counts.js';

/** The counts that are sums over the cores, and nothing more. */
const SUMMED = /** @type {const} */ ([
  'operations',
  'bytes',
  'retries',
  'throttled',
  'failed',
  'integrityErrors',
  'skipped',
  'abandoned',
  'unknownOutcomes',
]);

/**
 * What is counted of a stage.
 *
 * @typedef {object} StageCounts
 * @property {number} operations that succeeded, verification included
 * @property {number} bytes of those operations' objects
 * @property {number} attempts all, successful or not
 * @property {number} retries attempts that failed and were tried again
 * @property {number} throttled attempts by whose answer the store asked for fewer requests
 * @property {number} failed operations that the retry policy gave up
 * @property {number} integrityErrors operations whose answer was not what had been written
 * @property {number} skipped operations that had no object, because Write had not written it
 * @property {number} abandoned operations that were under way when the stage was stopped, and came to no end
 * @property {number} unknownOutcomes writes with an attempt that may have been carried out without an answer
 * @property {Record<string, number>} errors failed attempts by kind
 */

/**
 * The times of a finished operation, in monotonic ms.
 *
 * @typedef {Pick<import('../s3/retry.js').Operation, 'attempts' | 'startedAt' | 'attemptStartedAt' | 'finishedAt'>} Timings
 */

/**
 * A stage's counts in a form that can be sent from one thread to another.
 *
 * @typedef {object} StageMeterState
 * @property {StageCounts} counts
 * @property {import('./second-counts.js').SecondCount[]} seconds
 * @property {Record<'straight' | 'retriedOperations' | 'retriedAttempts', HistogramState>} histograms
 *
 * @typedef {import('./latency-histogram.js').HistogramState} HistogramState
 */

/** Counts one stage on one core. On the hot path it only adds numbers; what they amount to is worked out at the end. */
export class StageMeter {
  /** Operations that succeeded at the first attempt: latency of the operation and of the attempt alike. */
  #straight = new LatencyHistogram();
  #retriedOperations = new LatencyHistogram();
  #retriedAttempts = new LatencyHistogram();
  #failedAttempts = 0;
  /** @type {Map<string, number>} */
  #errors = new Map();
  operations = 0;
  bytes = 0;
  retries = 0;
  throttled = 0;
  failed = 0;
  integrityErrors = 0;
  skipped = 0;
  abandoned = 0;
  unknownOutcomes = 0;

  /**
   * @param {import('./clock.js').Clock} clock
   * @param {number} startedAt monotonic ms
   */
  constructor(clock, startedAt) {
    this.seconds = new SecondCounts(clock, startedAt);
    /** Monotonic ms of the last success, or of the stage's start. */
    this.lastSuccessAt = startedAt;
  }

  /**
   * @param {Timings} timings
   * @param {number} bytes
   */
  succeeded({ attempts, startedAt, attemptStartedAt, finishedAt }, bytes) {
    this.operations += 1;
    this.bytes += bytes;
    this.lastSuccessAt = finishedAt;
    this.seconds.add(finishedAt, bytes);
    if (attempts === 1) {
      this.#straight.record(finishedAt - startedAt);
    } else {
      this.#retriedOperations.record(finishedAt - startedAt);
      this.#retriedAttempts.record(finishedAt - attemptStartedAt);
    }
  }

  /**
   * @param {string} kind
   * @param {number} latency ms
   */
  attemptFailed(kind, latency) {
    this.#failedAttempts += 1;
    this.#retriedAttempts.record(latency);
    this.#errors.set(kind, (this.#errors.get(kind) ?? 0) + 1);
  }

  /** @returns {StageCounts} */
  counts() {
    return {
      operations: this.operations,
      bytes: this.bytes,
      attempts: this.operations + this.#failedAttempts,
      retries: this.retries,
      throttled: this.throttled,
      failed: this.failed,
      integrityErrors: this.integrityErrors,
      skipped: this.skipped,
      abandoned: this.abandoned,
      unknownOutcomes: this.unknownOutcomes,
      errors: Object.fromEntries([...this.#errors].sort()),
    };
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
      histograms: {
        straight: this.#straight.toState(),
        retriedOperations: this.#retriedOperations.toState(),
        retriedAttempts: this.#retriedAttempts.toState(),
      },
    };
  }

  /**
   * Adds what another core has counted.
   *
   * @param {StageMeterState} state
   */
  addState({ counts, seconds, histograms }) {
    for (const name of SUMMED) {
      this[name] += counts[name];
    }
    this.#failedAttempts += counts.attempts - counts.operations;
    for (const [kind, count] of Object.entries(counts.errors)) {
      this.#errors.set(kind, (this.#errors.get(kind) ?? 0) + count);
    }
    this.seconds.addSeconds(seconds);
    this.#straight.addState(histograms.straight);
    this.#retriedOperations.addState(histograms.retriedOperations);
    this.#retriedAttempts.addState(histograms.retriedAttempts);
  }

  /** @returns {{ operations: LatencyHistogram, attempts: LatencyHistogram }} */
  latencies() {
    return {
      operations: sum(this.#straight, this.#retriedOperations),
      attempts: sum(this.#straight, this.#retriedAttempts),
    };
  }
}

/**
 * @param {LatencyHistogram} one
 * @param {LatencyHistogram} other
 */
function sum(one, other) {
  const both = new LatencyHistogram();
  both.add(one);
  both.add(other);
  return both;
}
