import { counted } from '../log/figures.js';
import { errorsText } from '../report/error-words.js';

/** Failures that come together are told together. ms */
const GATHERED_FOR_MS = 1000;

/** Nobody reads more of them. ms */
const PAUSE_MS = 10_000;

/** Says from time to time by what attempts failed that are tried again: the log has only how many. */
export class FailureNotices {
  #tell;
  #now;
  #stage = '';
  /** @type {Map<string, number>} */
  #untold = new Map();
  #tellAt = 0;
  #toldAt = -Infinity;

  /**
   * @param {(notice: string) => void} tell
   * @param {() => number} now monotonic ms
   */
  constructor(tell, now) {
    this.#tell = tell;
    this.#now = now;
  }

  /** @param {string} stage that begins */
  start(stage) {
    this.#stage = stage;
    this.#toldAt = -Infinity;
  }

  /** @param {string} kind of the error of an attempt */
  add(kind) {
    if (this.#untold.size === 0) {
      this.#tellAt = Math.max(this.#now() + GATHERED_FOR_MS, this.#toldAt + PAUSE_MS);
    }
    this.#untold.set(kind, (this.#untold.get(kind) ?? 0) + 1);
  }

  /** To be called from time to time. */
  look() {
    if (this.#untold.size > 0 && this.#now() >= this.#tellAt) {
      this.flush();
    }
  }

  /** Tells what has not been told. */
  flush() {
    if (this.#untold.size === 0) {
      return;
    }
    const errors = Object.fromEntries([...this.#untold].sort(([, one], [, other]) => other - one));
    const attempts = Object.values(errors).reduce((sum, count) => sum + count, 0);
    this.#untold.clear();
    this.#toldAt = this.#now();
    this.#tell(`${this.#stage}: ${counted(attempts, 'attempt')} failed and were retried: ${errorsText(errors)}`);
  }
}
