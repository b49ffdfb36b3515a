import { LatencyHistogram } from './latency-histogram.js';

/**
 * The latencies of each second, computed as the growth of the stage's histogram during that second, so that each operation
 * is recorded only once.
 */
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

  /**
   * Must be called before a value is recorded, and when a second is over.
   *
   * @param {number} second epoch second of the next value
   */
  advance(second) {
    if (second > this.#second) {
      this.#close();
      this.#second = second;
    }
  }

  /**
   * @param {number} second that is over or ends now
   * @returns {LatencyHistogram | null} the latencies of that second; null if there are none
   */
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
