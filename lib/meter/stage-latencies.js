import { LATENCIES, toStageLatency } from '../model/histogram.js';
import { LatencyHistogram, joinValueCounts } from './latency-histogram.js';

/**
 * @import { StageLatency } from '../model/result.js'
 * @import { LatencyName, ValueCounts } from '../model/run-events.js'
 * @import { HistogramState } from './latency-histogram.js'
 * @import { Timings } from './stage-meter.js'
 */

/**
 * @typedef {object} StageLatencies
 * @property {LatencyHistogram} operations from the first attempt to success, including pauses; in an open loop, from
 *   the operation's scheduled start
 * @property {LatencyHistogram} attempts each attempt, including failed ones
 * @property {LatencyHistogram} firstByte of reads: from an attempt's start to the first byte of its response
 * @property {LatencyHistogram} startDelay in an open loop: how late the operations started
 * @property {LatencyHistogram} parts of multipart objects: each part from its first attempt to success
 * @property {LatencyHistogram} binding of a Worker: its calls of the bucket binding, with the whole body
 * @property {LatencyHistogram} bindingFirstByte of a Worker: until the first byte of bodies that it does not buffer
 */

/** @typedef {Record<typeof HISTOGRAMS[number], HistogramState>} StageLatencyState sent between threads */

const HISTOGRAMS = /** @type {const} */ (['firstTry', ...LATENCIES]);

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
  binding = new LatencyHistogram();
  bindingFirstByte = new LatencyHistogram();
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
    const others = LATENCIES.map((name) => [name, this[name].valueCounts()]);
    return /** @type {Record<LatencyName, ValueCounts>} */ ({
      ...Object.fromEntries(others),
      operations: joinValueCounts([firstTry, this.operations.valueCounts()]),
      attempts: joinValueCounts([firstTry, this.attempts.valueCounts()]),
    });
  }

  /** @returns {StageLatencies} */
  sums() {
    const others = LATENCIES.map((name) => [name, this[name]]);
    return /** @type {StageLatencies} */ ({
      ...Object.fromEntries(others),
      operations: sum(this.firstTry, this.operations),
      attempts: sum(this.firstTry, this.attempts),
    });
  }
}

/**
 * @param {StageLatencies} latencies
 * @returns {StageLatency} in the form used in a result
 */
export function stageLatency(latencies) {
  return toStageLatency((name) => {
    const { [name]: histogram } = latencies;
    return { summary: histogram.summary(), encoded: histogram.encode() };
  });
}

/** @param {readonly LatencyHistogram[]} parts */
function sum(...parts) {
  const whole = new LatencyHistogram();
  parts.forEach((part) => whole.add(part));
  return whole;
}

/** Latencies by second, computed from the growth of the stage's histogram: each operation is recorded only once. */
export class SecondLatencies {
  #histogram;
  #before = new LatencyHistogram();
  #second;
  /** Latencies of completed seconds, until they are taken. @type {Map<number, LatencyHistogram>} */
  #over = new Map();

  /**
   * @param {LatencyHistogram} histogram of the stage
   * @param {number} second epoch second of its first values
   */
  constructor(histogram, second) {
    this.#histogram = histogram;
    this.#second = second;
  }

  /** Call this before recording a value, and when a second is over. @param {number} second of the next value */
  advance(second) {
    if (second > this.#second) {
      this.#close();
      this.#second = second;
    }
  }

  /** The latencies of a second; null if there are none. @param {number} second that is over or ends now */
  take(second) {
    if (second >= this.#second) {
      this.#close();
      this.#second = second + 1;
    }
    const latencies = this.#over.get(second) ?? null;
    this.#over.delete(second);
    return latencies;
  }

  #close() {
    if (this.#histogram.count > this.#before.count) {
      this.#over.set(this.#second, this.#histogram.since(this.#before));
      this.#before = new LatencyHistogram();
      this.#before.add(this.#histogram);
    }
  }
}
