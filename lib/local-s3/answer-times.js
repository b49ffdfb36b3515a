import { createHistogram } from 'node:perf_hooks';

/**
 * @import { RecordableHistogram } from 'node:perf_hooks'
 * @import { Operation } from './router.js'
 *
 * @typedef {{ count: number, minimum: number, mean: number, p50: number, p90: number, p99: number, p999: number,
 *   maximum: number }} TimeSummary times in ms, accurate to 0.1%; `count` is the number of responses
 */

const MICROSECONDS = 1000;

/** One hour in µs, longer than any benchmark waits for a response. */
const MAX_TIME = 3_600_000_000;

/**
 * Server-side response times by operation, with which a client's latencies can be verified. They are recorded in Node's
 * HdrHistogram, to be independent of the client's histogram.
 */
export class AnswerTimes {
  /** @type {Map<Operation, RecordableHistogram>} */
  #histograms = new Map();

  /**
   * @param {Operation} operation
   * @param {number} milliseconds
   */
  record(operation, milliseconds) {
    let histogram = this.#histograms.get(operation);
    if (histogram === undefined) {
      histogram = createHistogram({ lowest: 1, highest: MAX_TIME, figures: 3 });
      this.#histograms.set(operation, histogram);
    }
    histogram.record(Math.min(Math.max(Math.round(milliseconds * MICROSECONDS), 1), MAX_TIME));
  }

  /** @returns {Partial<Record<Operation, TimeSummary>>} times recorded since the last call */
  take() {
    const summaries = Object.fromEntries(
      [...this.#histograms].map(([operation, times]) => [operation, summary(times)]),
    );
    this.#histograms.clear();
    return summaries;
  }
}

/** @param {RecordableHistogram} histogram µs */
function summary(histogram) {
  const percentile = (/** @type {number} */ share) => histogram.percentile(share) / MICROSECONDS;
  return {
    count: histogram.count,
    minimum: histogram.min / MICROSECONDS,
    mean: histogram.mean / MICROSECONDS,
    p50: percentile(50),
    p90: percentile(90),
    p99: percentile(99),
    p999: percentile(99.9),
    maximum: histogram.max / MICROSECONDS,
  };
}
