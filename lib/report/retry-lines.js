/** @import { RetryingRecord } from '../log/log-line.js' */

/** So many retries of a second are shown as they happen; the rest of them in one line. */
const SHOWN_A_SECOND = 3;

/** Keeps a storm of retries from flooding the log, without losing one: the lines still add up to all of them. */
export class RetryLines {
  #write;
  #thisSecond = 0;

  /** @param {(record: RetryingRecord) => void} write */
  constructor(write) {
    this.#write = write;
  }

  retrying() {
    this.#thisSecond += 1;
    if (this.#thisSecond <= SHOWN_A_SECOND) {
      this.#write({ kind: 'retrying', more: 0 });
    }
  }

  /** To be called at the end of each second and of each stage. */
  flush() {
    const rest = this.#thisSecond - SHOWN_A_SECOND;
    if (rest > 0) {
      // The line itself stands for one of them.
      this.#write({ kind: 'retrying', more: rest - 1 });
    }
    this.#thisSecond = 0;
  }
}
