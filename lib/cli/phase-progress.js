/**
 * @import { Terminal } from './terminal.js'
 * @import { Phase } from '../model/run-events.js'
 */

/** How often the live line is renewed. ms */
const REFRESH_MS = 250;

/** Shows what a run does before its first stage, and between two of them: nobody should look at a screen that stands still. */
export class PhaseProgress {
  #terminal;
  #now;
  /** When they began, in monotonic ms. @type {Map<Phase, number>} */
  #underWay = new Map();
  /** @type {NodeJS.Timeout | null} */
  #timer = null;

  /**
   * @param {Pick<Terminal, 'live' | 'err' | 'isLive'>} terminal
   * @param {() => number} now monotonic ms
   */
  constructor(terminal, now) {
    this.#terminal = terminal;
    this.#now = now;
  }

  /** @param {Phase} phase */
  start(phase) {
    this.#underWay.set(phase, this.#now());
    if (this.#terminal.isLive) {
      this.#timer ??= setInterval(() => this.#show(), REFRESH_MS);
      this.#show();
    } else if (phase.endsAt === null) {
      // Of a wait there is a notice that says how long it is.
      this.#terminal.err(capitalise(phase.text));
    }
  }

  /** @param {Phase} phase */
  end(phase) {
    this.#underWay.delete(phase);
    if (this.#underWay.size === 0) {
      this.close();
    } else if (this.#terminal.isLive) {
      this.#show();
    }
  }

  close() {
    this.#underWay.clear();
    if (this.#timer !== null) {
      clearInterval(this.#timer);
      this.#timer = null;
      this.#terminal.live('');
    }
  }

  #show() {
    this.#terminal.live(phaseLine([...this.#underWay], this.#now()));
  }
}

/**
 * @param {readonly [phase: Phase, startedAt: number][]} underWay at least one
 * @param {number} now monotonic ms
 * @returns {string}
 */
export function phaseLine(underWay, now) {
  const texts = underWay.map(([{ text }]) => text);
  const [[{ endsAt }, startedAt]] = underWay;
  const time =
    endsAt === null
      ? `${Math.floor((now - startedAt) / 1000)}s`
      : `${Math.ceil(Math.max(endsAt - now, 0) / 1000)}s left`;
  return `${capitalise(texts.join(', '))}  ${time}`;
}

/** @param {string} text */
function capitalise(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
