import { Histogram } from '../model/histogram.js';

/**
 * @import { LatencySummary } from '../model/result.js'
 * @import { LatencyRecord } from '../model/records.js'
 */

/** Latencies in a histogram with 0.1% precision. Minimum, mean and maximum are also kept exactly. */
export class LatencyHistogram {
  #histogram = new Histogram();
  #sum = 0;
  #minimum = Infinity;
  #maximum = 0;

  /** @param {LatencyRecord} record of another thread */
  static from({ latency, histogram }) {
    const latencies = new LatencyHistogram();
    if (latency !== null) {
      latencies.#histogram.addEncoded(String(histogram));
      latencies.#sum = latency.mean * latency.count;
      latencies.#minimum = latency.minimum;
      latencies.#maximum = latency.maximum;
    }
    return latencies;
  }

  /** @param {number} milliseconds */
  record(milliseconds) {
    this.#histogram.record(milliseconds);
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
    this.#histogram.add(other.#histogram);
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
      difference.#histogram.add(this.#histogram);
      difference.#histogram.subtract(earlier.#histogram);
      difference.#sum = this.#sum - earlier.#sum;
      difference.#minimum = difference.#histogram.at(0);
      difference.#maximum = difference.#histogram.at(100);
    }
    return difference;
  }

  get count() {
    return this.#histogram.count;
  }

  /** @returns {LatencyRecord} */
  toRecord() {
    return { latency: this.summary(), histogram: this.encode() };
  }

  /** @returns {LatencySummary | null} null if empty */
  summary() {
    if (this.count === 0) {
      return null;
    }
    return {
      count: this.count,
      minimum: this.#minimum,
      mean: this.#sum / this.count,
      p50: this.#percentile(50),
      p90: this.#percentile(90),
      p95: this.#percentile(95),
      p99: this.#percentile(99),
      p999: this.#percentile(99.9),
      maximum: this.#maximum,
    };
  }

  /** @returns {string} the compressed HdrHistogram V2 encoding of the values in µs, in base64 */
  encode() {
    return this.#histogram.encode();
  }

  /** Clamped to the exact minimum and maximum: the histogram stores values as ranges. @param {number} percentile */
  #percentile(percentile) {
    return Math.min(Math.max(this.#histogram.at(percentile), this.#minimum), this.#maximum);
  }
}
