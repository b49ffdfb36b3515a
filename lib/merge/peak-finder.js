/**
 * @import { MeanTogether, PeakSecond, Stretch } from '../model/result.js'
 * @import { StageView } from './hosts.js'
 * @import { SecondOfHosts } from './seconds.js'
 */

const SUSTAINED_SECONDS = 10;

/** Finds the best seconds of a stage. Seconds must be added in order. */
export class PeakFinder {
  #hostCount;
  /** The latest consecutive seconds, at most a window's worth. @type {{ tenths: number, bytes: number }[]} */
  #row = [];
  #latest = -Infinity;
  #together = { tenths: 0, bytes: 0, seconds: 0 };
  /** @type {PeakSecond | null} */
  peak = null;
  /** @type {Stretch | null} */
  #best = null;
  /** Number of consecutive seconds, up to the latest, that are not at the edge of every host's stage. */
  #wholeInRow = 0;
  #latestWhole = -Infinity;
  #hasWholeRow = false;

  /** @param {number} hostCount hosts that have the stage */
  constructor(hostCount) {
    this.#hostCount = hostCount;
  }

  /** @param {SecondOfHosts} second */
  add({ second, hosts }) {
    const tenths = hosts.reduce((sum, host) => sum + host.tenths, 0);
    const bytes = hosts.reduce((sum, host) => sum + host.bytes, 0);
    // A second at the edge of every host's stage is incomplete and does not count. A stage without complete seconds is
    // an exception.
    if (hosts.some(({ view }) => view.full === null || isFull(view, second))) {
      this.#addPeak(second, tenths, bytes, hosts.length);
      this.#wholeInRow = second === this.#latestWhole + 1 ? this.#wholeInRow + 1 : 1;
      this.#latestWhole = second;
      this.#hasWholeRow ||= this.#wholeInRow >= SUSTAINED_SECONDS;
    }
    this.#addToRow(second, tenths, bytes);
    const inside = new Set(hosts.filter(({ view }) => isFull(view, second)).map(({ view }) => view.host));
    if (inside.size === this.#hostCount) {
      this.#together.tenths += tenths;
      this.#together.bytes += bytes;
      this.#together.seconds += 1;
    }
  }

  /**
   * The best window, which may contain an incomplete second. Null if every window contains one: the best rate would
   * then be below the mean.
   */
  get sustained() {
    return this.#hasWholeRow ? this.#best : null;
  }

  /** @returns {MeanTogether | null} null unless all hosts share at least one complete second */
  together() {
    const { tenths, bytes, seconds } = this.#together;
    return seconds === 0 ? null : { ...rateOf(tenths, bytes, seconds), seconds };
  }

  /**
   * @param {number} second
   * @param {number} tenths
   * @param {number} bytes
   * @param {number} hosts
   */
  #addPeak(second, tenths, bytes, hosts) {
    const rate = rateOf(tenths, bytes, 1);
    if (this.peak === null || rate.operationsPerSecond > this.peak.operationsPerSecond) {
      this.peak = { ...rate, secondStart: second, hosts };
    }
  }

  /**
   * @param {number} second
   * @param {number} tenths
   * @param {number} bytes
   */
  #addToRow(second, tenths, bytes) {
    if (second !== this.#latest + 1) {
      this.#row = [];
    }
    this.#latest = second;
    this.#row.push({ tenths, bytes });
    if (this.#row.length > SUSTAINED_SECONDS) {
      this.#row.shift();
    }
    if (this.#row.length < SUSTAINED_SECONDS) {
      return;
    }
    const sum = (/** @type {'tenths' | 'bytes'} */ name) => this.#row.reduce((total, entry) => total + entry[name], 0);
    const rate = rateOf(sum('tenths'), sum('bytes'), SUSTAINED_SECONDS);
    if (this.#best === null || rate.operationsPerSecond > this.#best.operationsPerSecond) {
      this.#best = { ...rate, secondStart: second - SUSTAINED_SECONDS + 1, seconds: SUSTAINED_SECONDS };
    }
  }
}

/**
 * @param {StageView} view
 * @param {number} second
 */
function isFull({ full }, second) {
  return full !== null && second >= full.from && second <= full.to;
}

/**
 * @param {number} tenths of operations
 * @param {number} bytes
 * @param {number} seconds
 */
function rateOf(tenths, bytes, seconds) {
  return { operationsPerSecond: tenths / 10 / seconds, bytesPerSecond: bytes / seconds };
}
