import { LatencyHistogram } from './latency-histogram.js';

/**
 * The latencies of each second by themselves: what a histogram of the whole stage has gained from one second's turn to the
 * next, so that an operation is recorded once.
 */
export class SecondLatencies {
  #histogram;
  #before = new LatencyHistogram();
  #second;
  /** Of seconds that are over, until they are asked for. @type {Map<number, LatencyHistogram>} */
  #over = new Map();

  /**
   * @param {LatencyHistogram} histogram that grows
   * @param {number} second epoch second in which it begins to
   */
  constructor(histogram, second) {
    this.#histogram = histogram;
    this.#second = second;
  }

  /**
   * To be called before a value is recorded, and when a second is over.
   *
   * @param {number} second epoch second of what is recorded next
   */
  advance(second) {
    if (second > this.#second) {
      this.#close();
      this.#second = second;
    }
  }

  /**
   * @param {number} second that is over, or is to be closed now
   * @returns {LatencyHistogram | null} the latencies of that second; null where there are none
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
