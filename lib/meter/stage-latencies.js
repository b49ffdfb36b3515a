import { HISTOGRAM_FORMAT } from '../model/histogram.js';
import { LatencyHistogram, joinValueCounts } from './latency-histogram.js';
import { SecondLatencies } from './second-latencies.js';

/**
 * @import { HistogramState } from './latency-histogram.js'
 * @import { Timings } from './stage-meter.js'
 * @import { StageLatency } from '../model/result.js'
 * @import { LatencyName, ValueCounts } from '../model/run-events.js'
 */

/**
 * @typedef {object} StageLatencies
 * @property {LatencyHistogram} operations from the first attempt to success, including pauses; in an open loop, from
 *   the operation's scheduled start
 * @property {LatencyHistogram} attempts each attempt, including failed ones
 * @property {LatencyHistogram} firstByte of reads: from an attempt's start to the first byte of its response
 * @property {LatencyHistogram} startDelay in an open loop: how late the operations started
 * @property {LatencyHistogram} parts of multipart objects: each part from its first attempt to success
 */

/** @typedef {Record<typeof HISTOGRAMS[number], HistogramState>} StageLatencyState sent between threads */

const HISTOGRAMS = /** @type {const} */ (['firstTry', 'operations', 'attempts', 'firstByte', 'startDelay', 'parts']);

/** The latencies of one stage on one worker, each recorded once. */
export class StageLatencyMeter {
  /** Operations with a single attempt, whose latency is also that of the attempt. */
  firstTry = new LatencyHistogram();
  /** Operations with retries or a wait before the first attempt, recorded separately from their attempts. */
  operations = new LatencyHistogram();
  attempts = new LatencyHistogram();
  firstByte = new LatencyHistogram();
  startDelay = new LatencyHistogram();
  parts = new LatencyHistogram();
  #firstTryBySecond;
  #operationsBySecond;

  /** @param {number} second epoch second of the stage's start */
  constructor(second) {
    this.#firstTryBySecond = new SecondLatencies(this.firstTry, second);
    this.#operationsBySecond = new SecondLatencies(this.operations, second);
  }

  /**
   * @param {Timings} timings
   * @param {number} second epoch second in which the operation completed
   */
  succeeded({ startedAt, attemptStartedAt, finishedAt }, second) {
    if (startedAt === attemptStartedAt) {
      this.#firstTryBySecond.advance(second);
      this.firstTry.record(finishedAt - startedAt);
    } else {
      this.#operationsBySecond.advance(second);
      this.operations.record(finishedAt - startedAt);
      this.attempts.record(finishedAt - attemptStartedAt);
    }
  }

  /** Latencies of the operations that completed in a second. @param {number} second that is over */
  takeSecond(second) {
    const parts = [this.#firstTryBySecond.take(second), this.#operationsBySecond.take(second)];
    return sum(...parts.filter((part) => part !== null));
  }

  /** @returns {StageLatencyState} */
  toState() {
    return /** @type {StageLatencyState} */ (
      Object.fromEntries(HISTOGRAMS.map((name) => [name, this[name].toState()]))
    );
  }

  /** @param {StageLatencyState} state of another worker */
  addState(state) {
    HISTOGRAMS.forEach((name) => this[name].addState(state[name]));
  }

  /** @returns {Record<LatencyName, ValueCounts>} the same counts as {@link sums}, at a lower cost */
  valueCounts() {
    const firstTry = this.firstTry.valueCounts();
    return {
      operations: joinValueCounts([firstTry, this.operations.valueCounts()]),
      attempts: joinValueCounts([firstTry, this.attempts.valueCounts()]),
      firstByte: this.firstByte.valueCounts(),
      startDelay: this.startDelay.valueCounts(),
      parts: this.parts.valueCounts(),
    };
  }

  /** @returns {StageLatencies} */
  sums() {
    return {
      operations: sum(this.firstTry, this.operations),
      attempts: sum(this.firstTry, this.attempts),
      firstByte: this.firstByte,
      startDelay: this.startDelay,
      parts: this.parts,
    };
  }
}

/**
 * @param {StageLatencies} latencies
 * @returns {StageLatency} in the form used in a result
 */
export function stageLatency({ operations, attempts, firstByte, startDelay, parts }) {
  const hasParts = parts.count > 0;
  return {
    unit: 'ms',
    operations: operations.summary(),
    attempts: attempts.summary(),
    firstByte: firstByte.summary(),
    startDelay: startDelay.summary(),
    ...(hasParts ? { parts: parts.summary() } : {}),
    histogram: {
      ...HISTOGRAM_FORMAT,
      operations: operations.encode(),
      attempts: attempts.encode(),
      firstByte: firstByte.encode(),
      startDelay: startDelay.encode(),
      ...(hasParts ? { parts: parts.encode() } : {}),
    },
  };
}

/** @param {readonly LatencyHistogram[]} parts */
function sum(...parts) {
  const whole = new LatencyHistogram();
  parts.forEach((part) => whole.add(part));
  return whole;
}
