import { formatDuration } from '../../text/units.js';
import { pause } from './pause.js';

/**
 * @import { ClockFacts } from '../../result/result.js'
 * @import { ObjectConnection } from '../../store/object-store.js'
 * @import { Clock } from './clock.js'
 */

/** Interval between requests during the search for the turn of the store's second. */
const SEARCH_INTERVAL_MS = 40;

/** A turn comes within a second; the rest allows for slow responses. */
const MAX_SEARCH_MS = 2500;

/** Number of requests around a turn whose time is roughly known. */
const REQUESTS_AT_TURN = 12;

const SECOND_MS = 1000;

/** ± ms. Above this, the clock counts as unknown: responses contradict one another or took too long. */
const MAX_UNCERTAINTY_MS = 5000;

/**
 * After the first turn, further requests are spread over the remaining uncertainty, and cannot narrow it below a round
 * trip. If they can gain less than a third, as with a distant store, it is not worth waiting for another turn.
 */
const WORTHWHILE_GAIN = 1.5;

/** The store's clock, measured from Date headers before the first stage. */
export class StoreClock {
  #clock;
  #request;
  /** Idle connections. @type {ObjectConnection[]} */
  #free;
  #bounds = new ClockOffset();
  #isKnown = false;

  /**
   * @param {object} options
   * @param {Clock} options.clock set to the store's time
   * @param {(connection: ObjectConnection, signal: AbortSignal) => Promise<number>} options.request resolves to the
   *   store's Date in epoch ms, or 0 if the response had none
   * @param {readonly ObjectConnection[]} options.connections
   */
  constructor({ clock, request, connections }) {
    this.#clock = clock;
    this.#request = request;
    this.#free = [...connections];
  }

  /** @returns {ClockFacts | null} null if the clock could not be measured */
  get facts() {
    return this.#isKnown ? { offset: round(this.#bounds.offset), uncertainty: round(this.#bounds.uncertainty) } : null;
  }

  /** Why the clock is unknown; null if it was measured. @returns {string | null} */
  get problem() {
    if (this.#isKnown) {
      return null;
    }
    return this.#bounds.samples === 0
      ? 'no response had a Date header'
      : `the store's Date headers leave its clock uncertain by ±${formatDuration(this.#bounds.uncertainty)}`;
  }

  /** Sets the clock, in one or two seconds, if the measured offset is accurate enough. @param {AbortSignal} signal */
  async measure(signal) {
    await this.#lookForTurn(signal);
    await this.#lookCloselyAtTurn(signal);
    this.#isKnown = this.#bounds.samples > 0 && this.#bounds.uncertainty <= MAX_UNCERTAINTY_MS;
    if (this.#isKnown) {
      this.#clock.adjust(this.#bounds.offset);
    }
  }

  /** Sends requests until two of them enclose the turn of the store's second. @param {AbortSignal} signal */
  async #lookForTurn(signal) {
    const searchedUntil = this.#clock.now() + MAX_SEARCH_MS;
    const isFound = () =>
      this.#bounds.samples > 0 && this.#bounds.width <= SEARCH_INTERVAL_MS + 2 * this.#bounds.bestRoundTrip;
    await this.#requestEvery(SEARCH_INTERVAL_MS, () => !isFound() && this.#clock.now() < searchedUntil, signal);
  }

  /** Spreads requests over the interval in which the next turn must come. @param {AbortSignal} signal */
  async #lookCloselyAtTurn(signal) {
    const { width, offset, bestRoundTrip } = this.#bounds;
    if (width > WORTHWHILE_GAIN * bestRoundTrip && width < SECOND_MS) {
      let sent = 0;
      await pause(this.#untilTurn(offset, -width / 2), signal);
      await this.#requestEvery(width / REQUESTS_AT_TURN, () => sent++ < REQUESTS_AT_TURN, signal);
    }
  }

  /**
   * @param {number} interval ms
   * @param {() => boolean} shouldContinue
   * @param {AbortSignal} signal
   */
  async #requestEvery(interval, shouldContinue, signal) {
    /** @type {Promise<void>[]} */
    const questions = [];
    while (shouldContinue() && !signal.aborted) {
      questions.push(this.#question(signal));
      await pause(interval, signal);
    }
    await Promise.all(questions);
  }

  /** @param {AbortSignal} signal */
  async #question(signal) {
    const connection = this.#free.pop();
    if (connection === undefined) {
      return;
    }
    const sample = await this.#sample(connection, signal);
    this.#free.push(connection);
    if (sample !== null) {
      this.#bounds.add(sample);
    }
  }

  /**
   * @param {ObjectConnection} connection
   * @param {AbortSignal} signal
   * @returns {Promise<ClockSample | null>} null if the response has no time
   */
  async #sample(connection, signal) {
    const sentAt = this.#clock.epochNow();
    const date = await this.#request(connection, signal);
    const receivedAt = this.#clock.epochNow();
    return date === 0 ? null : { sentAt, receivedAt, date };
  }

  /**
   * @param {number} offset ms that the store is ahead of our clock now
   * @param {number} aside ms
   * @returns {number} ms until a request must be sent so that the store reads it `aside` ms after a turn of its second
   */
  #untilTurn(offset, aside) {
    const readAt = this.#clock.epochNow() + offset + this.#bounds.bestRoundTrip / 2;
    return Math.ceil((readAt - aside) / SECOND_MS) * SECOND_MS + aside - readAt;
  }
}

/** Rounds to a tenth. @param {number} milliseconds */
function round(milliseconds) {
  return Math.round(milliseconds * 10) / 10;
}

/** A Date header is truncated to whole seconds. */
const DATE_RESOLUTION_MS = 1000;

/**
 * A request for the store's time, in epoch ms: `date` from the response's Date header, the other two by our clock.
 *
 * @typedef {{ sentAt: number, receivedAt: number, date: number }} ClockSample
 */

/**
 * The offset of the store's clock from ours, as the intersection of the bounds from all responses. Responses near the
 * turn of a second narrow it, ultimately to about ± half the best round trip.
 */
export class ClockOffset {
  #min = -Infinity;
  #max = Infinity;
  /** ms */
  bestRoundTrip = Infinity;
  samples = 0;

  /**
   * The store read its clock between our sending and receiving, and truncated the time to whole seconds.
   *
   * @param {ClockSample} sample
   */
  add({ sentAt, receivedAt, date }) {
    this.#min = Math.max(this.#min, date - receivedAt);
    this.#max = Math.min(this.#max, date + DATE_RESOLUTION_MS - sentAt);
    this.bestRoundTrip = Math.min(this.bestRoundTrip, receivedAt - sentAt);
    this.samples += 1;
  }

  /** ms between the bounds; negative if responses contradict each other because they came from different clocks. */
  get width() {
    return this.#max - this.#min;
  }

  /** The middle of the bounds in ms: add it to our time to get the store's. */
  get offset() {
    return (this.#min + this.#max) / 2;
  }

  /** Maximum error of {@link offset} in ms. Contradictory responses widen it by their difference. */
  get uncertainty() {
    const half = Math.abs(this.width) / 2;
    return this.width < 0 ? half + this.bestRoundTrip / 2 : half;
  }
}
