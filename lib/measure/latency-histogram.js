import { Histogram, toStageLatency, withExact } from '../result/histogram.js';

/**
 * @import { LatencyRecord } from '../result/records.js'
 * @import { StageLatency } from '../result/result.js'
 * @import { Timings } from './stage-meter.js'
 */

/** Latencies in a histogram with 0.1% precision. Minimum, mean and maximum are also kept exactly. */
export class LatencyHistogram extends Histogram {
  #sum = 0;
  #minimum = Infinity;
  #maximum = 0;

  /** @param {number} milliseconds */
  record(milliseconds) {
    super.record(milliseconds);
    this.#sum += milliseconds;
    if (milliseconds < this.#minimum) {
      this.#minimum = milliseconds;
    }
    if (milliseconds > this.#maximum) {
      this.#maximum = milliseconds;
    }
  }

  /** @param {LatencyHistogram} other whose values are added to this one's */
  add(other) {
    super.add(other);
    this.#sum += other.#sum;
    this.#minimum = Math.min(this.#minimum, other.#minimum);
    this.#maximum = Math.max(this.#maximum, other.#maximum);
  }

  /** The sum of this histogram and the others, which are not modified. @param {readonly LatencyHistogram[]} others */
  plus(others) {
    const sum = new LatencyHistogram();
    [this, ...others].forEach((histogram) => sum.add(histogram));
    return sum;
  }

  /**
   * The values added since an earlier moment.
   *
   * @param {LatencyHistogram} earlier a copy of this histogram made at that moment
   * @returns {LatencyHistogram} with minimum and maximum accurate to 0.1%, like percentiles
   */
  since(earlier) {
    const difference = new LatencyHistogram();
    if (this.count > earlier.count) {
      difference.add(this);
      difference.subtract(earlier);
      difference.#sum = this.#sum - earlier.#sum;
      difference.#minimum = difference.at(0);
      difference.#maximum = difference.at(100);
    }
    return difference;
  }

  summary() {
    const mean = this.#sum / this.count;
    return withExact(super.summary(), { mean, minimum: this.#minimum, maximum: this.#maximum });
  }

  /** @returns {LatencyRecord} */
  toRecord() {
    return { latency: this.summary(), histogram: this.encode() };
  }
}

/** The latencies of one stage on one worker, each recorded once. */
export class StageLatencyMeter {
  /** Operations with a single attempt, whose latency is also that of the attempt. */
  firstTry = new LatencyHistogram();
  /**
   * Operations with retries or a wait before the first attempt, recorded separately from their attempts: from the first
   * attempt to success, including pauses; in an open loop, from the operation's scheduled start.
   */
  operations = new LatencyHistogram();
  /** Each attempt of the others, including failed ones. */
  attempts = new LatencyHistogram();
  /** Of reads: from an attempt's start to the first byte of its response. */
  firstByte = new LatencyHistogram();
  /** In an open loop: how late the operations started. */
  startDelay = new LatencyHistogram();
  /** Of multipart objects: each part from its first attempt to success. */
  parts = new LatencyHistogram();
  /** Of a Worker: its calls of the bucket binding, with the whole body. */
  binding = new LatencyHistogram();
  /** Of a Worker: until the first byte of bodies that it does not buffer. */
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
    return new LatencyHistogram().plus(parts.filter((part) => part !== null));
  }

  /** @returns {StageLatency} */
  toRecord() {
    const { firstTry, operations, attempts } = this;
    const sums = { ...this, operations: operations.plus([firstTry]), attempts: attempts.plus([firstTry]) };
    return toStageLatency((name) => ({ summary: sums[name].summary(), encoded: sums[name].encode() }));
  }
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
