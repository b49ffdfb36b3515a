import { formatDuration } from '../text/units.js';

/**
 * @import { Side, Turn } from '../model/interleaved.js'
 * @import { Screen } from './reporter.js'
 */

/** Time between lines without a terminal. */
const LINE_INTERVAL_MS = 2000;

/** Shows the current turn and the time left: at the start of a terminal's live line, otherwise on separate lines. */
export class TurnProgress {
  #screen;
  #now;
  #quads;
  /** @type {(Turn & { startedAt: number }) | null} */
  #turn = null;
  /** @type {NodeJS.Timeout | null} */
  #timer = null;

  /**
   * @param {Screen} screen
   * @param {object} options
   * @param {() => number} options.now monotonic ms
   * @param {number} options.quads
   * @param {boolean} options.quiet
   */
  constructor(screen, { now, quads, quiet }) {
    this.#screen = screen;
    this.#now = now;
    this.#quads = quads;
    if (!quiet && !screen.isLive) {
      this.#timer = setInterval(() => this.#print(), LINE_INTERVAL_MS);
    }
  }

  /** @param {Turn} turn */
  starts(turn) {
    this.#turn = { ...turn, startedAt: this.#now() };
  }

  /**
   * @param {Side} side
   * @returns {Screen} prefixes each line with the side's name
   */
  screenOf(side) {
    const name = nameOf(side);
    const { isLive, logIsOnTerminal, look } = this.#screen;
    return {
      isLive,
      logIsOnTerminal,
      look,
      draw: (lines) => this.#screen.draw(lines),
      out: (line) => this.#screen.out(`${name}: ${line}`),
      err: (line) => this.#screen.err(`${name}: ${line}`),
      live: (text) => this.#screen.live(text === '' ? '' : `${this.#where() ?? name}: ${text}`),
    };
  }

  /** Call after the last turn. */
  end() {
    this.#turn = null;
    if (this.#timer !== null) {
      clearInterval(this.#timer);
      this.#timer = null;
    }
  }

  #print() {
    const where = this.#where();
    if (where !== null) {
      this.#screen.err(where);
    }
  }

  /** @returns {string | null} such as `Quad 3 of 8, B, 1m 20s left`; null between turns */
  #where() {
    if (this.#turn === null) {
      return null;
    }
    const { side, quad, timeLeft, startedAt } = this.#turn;
    const which = quad === null ? 'Warming up' : `Quad ${quad + 1} of ${this.#quads}`;
    const left = timeLeft === null ? '' : `, ${formatDuration(timeLeft - (this.#now() - startedAt))} left`;
    return `${which}, ${nameOf(side)}${left}`;
  }
}

/** @param {Side} side */
export function nameOf(side) {
  return side.toUpperCase();
}
