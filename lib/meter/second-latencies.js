import { LatencyHistogram } from './latency-histogram.js';

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
