import { ClockOffset, contradictionOf } from '../meter/clock-offset.js';
import { pause } from './pause.js';

/** How often the store is asked while the turn of its second is looked for. */
const SEARCH_INTERVAL_MS = 40;

/** A turn comes within a second; the rest is for slow answers. */
const LONGEST_SEARCH_MS = 2500;

/** Questions around a turn whose time is known roughly. */
const QUESTIONS_AT_TURN = 12;

/** The pause between two questions while the stages run. */
const WATCH_INTERVAL_MS = 2000;

const SECOND_MS = 1000;

/**
 * @typedef {import('../s3/object-store.js').ObjectConnection} ObjectConnection
 * @typedef {{ offset: number, uncertainty: number }} ClockFacts ms: the store's clock is so far ahead of this host's
 */

/**
 * The store's clock, as its Date headers tell it. It is measured before the first stage; what is seen later can only
 * widen the uncertainty.
 */
export class StoreClock {
  #clock;
  #ask;
  /** Connections that carry no question. @type {ObjectConnection[]} */
  #free;
  #bounds = new ClockOffset();
  /** How far later answers lay beside what was measured, in ms. */
  #contradiction = 0;

  /**
   * @param {object} options
   * @param {import('../meter/clock.js').Clock} options.clock that is set to the store's time
   * @param {(connection: ObjectConnection, signal: AbortSignal) => Promise<number>} options.ask the store's Date in
   *   epoch ms, 0 where it told none
   * @param {readonly ObjectConnection[]} options.connections over which it is asked
   */
  constructor({ clock, ask, connections }) {
    this.#clock = clock;
    this.#ask = ask;
    this.#free = [...connections];
  }

  /** What is known by now; null where the store does not tell the time. @returns {ClockFacts | null} */
  get facts() {
    if (this.#bounds.samples === 0) {
      return null;
    }
    return { offset: round(this.#bounds.offset), uncertainty: round(this.#uncertainty) };
  }

  /** ms */
  get #uncertainty() {
    return Math.max(this.#bounds.uncertainty, this.#contradiction);
  }

  /**
   * Measures the offset, in some two seconds, and sets the clock by it.
   *
   * @param {AbortSignal} signal gives up
   */
  async measure(signal) {
    await this.#lookForTurn(signal);
    await this.#lookCloselyAtTurn(signal);
    if (this.#bounds.samples > 0) {
      this.#clock.adjust(this.#bounds.offset);
    }
  }

  /**
   * Asks from time to time whether the clock, once it is set, is still right.
   *
   * @param {AbortSignal} signal ends it
   */
  async watch(signal) {
    for (let isEarly = true; this.#bounds.samples > 0; isEarly = !isEarly) {
      // Now before the turn of a second, now after it: a drift comes out on one side or the other. Within the uncertainty
      // no answer tells anything new, and none tells of more than it was asked aside of the turn: after one that
      // contradicts, the next are asked further out.
      const aside = Math.min(2 * this.#uncertainty + this.#bounds.bestRoundTrip / 2, SECOND_MS / 2);
      await pause(WATCH_INTERVAL_MS, signal);
      await pause(this.#untilTurn(0, isEarly ? -aside : aside), signal);
      const sample = signal.aborted ? null : await this.#sample(signal);
      if (signal.aborted) {
        return;
      }
      if (sample !== null) {
        this.#contradiction = Math.max(this.#contradiction, contradictionOf(0, sample));
      }
    }
  }

  /**
   * Asks until the store's second has turned: then the turn is known to within two questions.
   *
   * @param {AbortSignal} signal
   */
  async #lookForTurn(signal) {
    const searchedUntil = this.#clock.now() + LONGEST_SEARCH_MS;
    const isFound = () =>
      this.#bounds.samples > 0 && this.#bounds.width <= SEARCH_INTERVAL_MS + 2 * this.#bounds.bestRoundTrip;
    await this.#askEvery(SEARCH_INTERVAL_MS, () => !isFound() && this.#clock.now() < searchedUntil, signal);
  }

  /**
   * Spreads questions over the time in which the next turn has to come.
   *
   * @param {AbortSignal} signal
   */
  async #lookCloselyAtTurn(signal) {
    const { width, offset } = this.#bounds;
    if (width > 0 && width < SECOND_MS) {
      let asked = 0;
      await pause(this.#untilTurn(offset, -width / 2), signal);
      await this.#askEvery(width / QUESTIONS_AT_TURN, () => asked++ < QUESTIONS_AT_TURN, signal);
    }
  }

  /**
   * @param {number} interval ms
   * @param {() => boolean} goesOn
   * @param {AbortSignal} signal
   */
  async #askEvery(interval, goesOn, signal) {
    /** @type {Promise<void>[]} */
    const questions = [];
    while (goesOn() && !signal.aborted) {
      questions.push(this.#question(signal));
      await pause(interval, signal);
    }
    await Promise.all(questions);
  }

  /** @param {AbortSignal} signal */
  async #question(signal) {
    const sample = await this.#sample(signal);
    if (sample !== null) {
      this.#bounds.add(sample);
    }
  }

  /**
   * @param {AbortSignal} signal
   * @returns {Promise<import('../meter/clock-offset.js').ClockSample | null>} null where no connection was free or the
   *   store did not tell the time
   */
  async #sample(signal) {
    const connection = this.#free.pop();
    if (connection === undefined) {
      return null;
    }
    const sentAt = this.#clock.epochNow();
    const date = await this.#ask(connection, signal);
    const receivedAt = this.#clock.epochNow();
    this.#free.push(connection);
    return date === 0 ? null : { sentAt, receivedAt, date };
  }

  /**
   * @param {number} offset ms by which the store is ahead of our clock as it is now
   * @param {number} aside ms
   * @returns {number} ms until a question has to be sent for the store to read it so far behind a turn of its second
   */
  #untilTurn(offset, aside) {
    const readAt = this.#clock.epochNow() + offset + this.#bounds.bestRoundTrip / 2;
    return Math.ceil((readAt - aside) / SECOND_MS) * SECOND_MS + aside - readAt;
  }
}

/** @param {number} milliseconds to a tenth */
function round(milliseconds) {
  return Math.round(milliseconds * 10) / 10;
}
