import { Histogram, withExact } from '../result/histogram.js';

/**
 * @import { LatencyRecord } from '../result/records.js'
 */

/** Latencies in a histogram with 0.1% precision. Minimum, mean and maximum are also kept exactly. */
export class LatencyHistogram extends Histogram {
  #sum = 0;
  #minimum = Infinity;
  #maximum = 0;

  /** @param {LatencyRecord} record of another thread */
  static from({ latency, histogram }) {
    const latencies = new LatencyHistogram();
    if (latency !== null) {
      latencies.addEncoded(String(histogram));
      latencies.#sum = latency.mean * latency.count;
      latencies.#minimum = latency.minimum;
      latencies.#maximum = latency.maximum;
    }
    return latencies;
  }

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
