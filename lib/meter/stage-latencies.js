import { LatencyHistogram } from './latency-histogram.js';
import { SecondLatencies } from './second-latencies.js';

/**
 * @import { HistogramState } from './latency-histogram.js'
 * @import { Timings } from './stage-meter.js'
 */

/**
 * @typedef {object} StageLatencies
 * @property {LatencyHistogram} operations from the first attempt to success, pauses included; in an open loop from the
 *   moment at which the operation was to start
 * @property {LatencyHistogram} attempts each by itself, failed ones included
 * @property {LatencyHistogram} firstByte of reads: from an attempt's start to the first byte of its answer
 * @property {LatencyHistogram} startDelay in an open loop: how late the operations started
 */

/**
 * A stage's latencies in a form that can be sent from one thread to another.
 *
 * @typedef {Record<typeof HISTOGRAMS[number], HistogramState>} StageLatencyState
 */

const HISTOGRAMS = /** @type {const} */ (['straight', 'operations', 'attempts', 'firstByte', 'startDelay']);

/** The latencies of one stage on one core, none recorded twice. */
export class StageLatencyMeter {
  /** Of operations that consist of one attempt: latency of the operation and of the attempt alike. */
  straight = new LatencyHistogram();
  /** Of operations with more attempts, or with a wait before the first: the operations, and apart from them the attempts. */
  operations = new LatencyHistogram();
  attempts = new LatencyHistogram();
  firstByte = new LatencyHistogram();
  startDelay = new LatencyHistogram();
  #straightBySecond;
  #operationsBySecond;

  /** @param {number} second epoch second of the stage's start */
  constructor(second) {
    this.#straightBySecond = new SecondLatencies(this.straight, second);
    this.#operationsBySecond = new SecondLatencies(this.operations, second);
  }

  /**
   * @param {Timings} timings
   * @param {number} second epoch second in which the operation completed
   */
  succeeded({ startedAt, attemptStartedAt, finishedAt }, second) {
    if (startedAt === attemptStartedAt) {
      this.#straightBySecond.advance(second);
      this.straight.record(finishedAt - startedAt);
    } else {
      this.#operationsBySecond.advance(second);
      this.operations.record(finishedAt - startedAt);
      this.attempts.record(finishedAt - attemptStartedAt);
    }
  }

  /**
   * @param {number} second that is over
   * @returns {LatencyHistogram} of the operations that completed in it
   */
  takeSecond(second) {
    const parts = [this.#straightBySecond.take(second), this.#operationsBySecond.take(second)];
    return sum(...parts.filter((part) => part !== null));
  }

  /** @returns {StageLatencyState} */
  toState() {
    return /** @type {StageLatencyState} */ (
      Object.fromEntries(HISTOGRAMS.map((name) => [name, this[name].toState()]))
    );
  }

  /**
   * Adds what another core has recorded.
   *
   * @param {StageLatencyState} state
   */
  addState(state) {
    HISTOGRAMS.forEach((name) => this[name].addState(state[name]));
  }

  /** @returns {StageLatencies} */
  sums() {
    return {
      operations: sum(this.straight, this.operations),
      attempts: sum(this.straight, this.attempts),
      firstByte: this.firstByte,
      startDelay: this.startDelay,
    };
  }
}

/** @param {readonly LatencyHistogram[]} parts */
function sum(...parts) {
  const whole = new LatencyHistogram();
  parts.forEach((part) => whole.add(part));
  return whole;
}
