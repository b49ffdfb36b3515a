import { counted } from '../text/figures.js';
import { formatErrors } from './error-labels.js';

/** Failures this close together share one notice. */
const GATHER_MS = 1000;

/** Minimum time between two notices. */
const PAUSE_MS = 10_000;

/** Periodically reports why retried attempts failed; the log has only their number. */
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

  /** @param {string} stage */
  start(stage) {
    this.#stage = stage;
    this.#reportedAt = -Infinity;
  }

  /** @param {string} kind of error */
  add(kind) {
    if (this.#unreported.size === 0) {
      this.#reportAt = Math.max(this.#now() + GATHER_MS, this.#reportedAt + PAUSE_MS);
    }
    this.#unreported.set(kind, (this.#unreported.get(kind) ?? 0) + 1);
  }

  /** Call regularly. */
  check() {
    if (this.#unreported.size > 0 && this.#now() >= this.#reportAt) {
      this.flush();
    }
  }

  flush() {
    if (this.#unreported.size === 0) {
      return;
    }
    const errors = Object.fromEntries([...this.#unreported].sort(([, one], [, other]) => other - one));
    const attempts = Object.values(errors).reduce((sum, count) => sum + count, 0);
    this.#unreported.clear();
    this.#reportedAt = this.#now();
    const were = attempts === 1 ? 'was' : 'were';
    this.#report(`${this.#stage}: ${counted(attempts, 'attempt')} failed and ${were} retried: ${formatErrors(errors)}`);
  }
}
