/** @import { RunObserver } from '../model/run-events.js' */

/** Shorter phases are not listed as reasons for a late start. */
const MIN_NAMED_MS = 100;

/** @enum {string} */
export const PHASES = Object.freeze({
  list: 'listing the objects',
  buckets: 'checking the buckets',
  clock: "measuring the store's clock",
  latency: 'measuring the latency with one thread',
  connections: 'opening the connections',
});

/** Reports the current phase and remembers how long each phase took. */
export class Phases {
  #now;
  #observer;
  /** ms. @type {Map<string, number>} */
  #took = new Map();

  /**
   * @param {() => number} now monotonic ms
   * @param {Pick<RunObserver, 'phaseStarts' | 'phaseEnds'>} observer
   * @param {number} launchedAt monotonic ms at which the process was started
   */
  constructor(now, observer, launchedAt) {
    this.#now = now;
    this.#observer = observer;
    this.#took.set('starting the program', now() - launchedAt);
  }

  /**
   * @template Result
   * @param {string} text
   * @param {() => Promise<Result>} work
   * @param {number | null} [endsAt] monotonic ms
   * @returns {Promise<Result>}
   */
  async during(text, work, endsAt = null) {
    const phase = { text, endsAt };
    const startedAt = this.#now();
    this.#observer.phaseStarts(phase);
    try {
      return await work();
    } finally {
      this.#took.set(text, this.#now() - startedAt);
      this.#observer.phaseEnds(phase);
    }
  }

  /** Phases that took noticeable time, in the order in which they ended: `opening the connections took 1.2s`. */
  summary() {
    const parts = [...this.#took].filter(([, milliseconds]) => milliseconds >= MIN_NAMED_MS);
    return parts.map(([text, milliseconds]) => `${text} took ${(milliseconds / 1000).toFixed(1)}s`).join(', ');
  }
}
