import { counted } from '../text/figures.js';
import { formatErrors } from './error-labels.js';

/** Failures that come together are reported together. ms */
const GATHERED_FOR_MS = 1000;

/** Nobody reads more of them. ms */
const PAUSE_MS = 10_000;

/** Reports from time to time by what kinds of errors attempts failed that are tried again: the log has only how many. */
export class FailureNotices {
  #report;
  #now;
  #stage = '';
  /** @type {Map<string, number>} */
  #unreported = new Map();
  #reportAt = 0;
  #reportedAt = -Infinity;

  /**
   * @param {(notice: string) => void} report
   * @param {() => number} now monotonic ms
   */
  constructor(report, now) {
    this.#report = report;
    this.#now = now;
  }

  /** @param {string} stage that begins */
  start(stage) {
    this.#stage = stage;
    this.#reportedAt = -Infinity;
  }

  /** @param {string} kind of the error of an attempt */
  add(kind) {
    if (this.#unreported.size === 0) {
      this.#reportAt = Math.max(this.#now() + GATHERED_FOR_MS, this.#reportedAt + PAUSE_MS);
    }
    this.#unreported.set(kind, (this.#unreported.get(kind) ?? 0) + 1);
  }

  /** To be called from time to time. */
  look() {
    if (this.#unreported.size > 0 && this.#now() >= this.#reportAt) {
      this.flush();
    }
  }

  /** Reports what has not been reported. */
  flush() {
    if (this.#unreported.size === 0) {
      return;
    }
    const errors = Object.fromEntries([...this.#unreported].sort(([, one], [, other]) => other - one));
    const attempts = Object.values(errors).reduce((sum, count) => sum + count, 0);
    this.#unreported.clear();
    this.#reportedAt = this.#now();
    this.#report(`${this.#stage}: ${counted(attempts, 'attempt')} failed and were retried: ${formatErrors(errors)}`);
  }
}
