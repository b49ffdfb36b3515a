import { formatDuration } from '../log/units.js';

/** @import { Terminal } from './terminal.js' */

/** Where no terminal shows it all the time, it is told so often. */
const LINE_EVERY_MS = 10_000;

/** A store that has been silent for this long is named. */
const MIN_SILENCE_MS = 5000;

/** Shows that something goes on that may take long: on a terminal as its live line, elsewhere as a line now and then. */
export class ProgressLine {
  #terminal;
  #now;
  /** @type {number | null} */
  #startedAt = null;
  #toldAt = 0;

  /**
   * @param {Pick<Terminal, 'isLive' | 'live' | 'err'>} terminal
   * @param {() => number} now monotonic ms
   */
  constructor(terminal, now) {
    this.#terminal = terminal;
    this.#now = now;
  }

  /**
   * @param {string} state what has been done
   * @param {number} silence ms since the store's last answer
   */
  show(state, silence) {
    const now = this.#now();
    if (this.#startedAt === null) {
      this.#startedAt = this.#toldAt = now;
    }
    const waiting = silence < MIN_SILENCE_MS ? '' : `, no answer for ${formatDuration(silence)}`;
    const line = `${state} in ${formatDuration(now - this.#startedAt)}${waiting}`;
    if (this.#terminal.isLive) {
      this.#terminal.live(line);
    } else if (now - this.#toldAt >= LINE_EVERY_MS) {
      this.#toldAt = now;
      this.#terminal.err(line);
    }
  }
}
