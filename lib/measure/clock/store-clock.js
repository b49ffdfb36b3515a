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

const WATCH_INTERVAL_MS = 2000;

const SECOND_MS = 1000;

/** ± ms. Above this, the clock counts as unknown: responses contradict one another or took too long. */
const MAX_UNCERTAINTY_MS = 5000;

/**
 * After the first turn, further requests are spread over the remaining uncertainty, and cannot narrow it below a round
 * trip. If they can gain less than a third, as with a distant store, it is not worth waiting for another turn.
 */
const WORTHWHILE_GAIN = 1.5;

/** The store's clock, measured from Date headers before the first stage. Later, only the uncertainty can grow. */
export class StoreClock {
  #clock;
  #request;
  /** Idle connections. @type {ObjectConnection[]} */
  #free;
  /** Connection for requests after the measurement. */
  #watcher;
  #bounds = new ClockOffset();
  /** Deviation of later responses from the measurement, in ms. */
  #contradiction = 0;
  #isKnown = false;

  /**
   * @param {object} options
   * @param {Clock} options.clock set to the store's time
   * @param {(connection: ObjectConnection, signal: AbortSignal) => Promise<number>} options.request resolves to the
   *   store's Date in epoch ms, or 0 if the response had none
   * @param {readonly ObjectConnection[]} options.connections only the last one is used after the measurement
   */
  constructor({ clock, request, connections }) {
    this.#clock = clock;
    this.#request = request;
    this.#free = [...connections];
    this.#watcher = connections[connections.length - 1];
  }

  /** @returns {ClockFacts | null} null if the clock could not be measured */
  get facts() {
    return this.#isKnown ? { offset: round(this.#bounds.offset), uncertainty: round(this.#uncertainty) } : null;
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

  /** ms */
  get #uncertainty() {
    return Math.max(this.#bounds.uncertainty, this.#contradiction);
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

  /**
   * Periodically checks whether the clock is still right.
   *
   * @param {AbortSignal} signal
   * @param {() => void} lost called when the measured clock becomes unknown
   */
  async watch(signal, lost) {
    for (let isEarly = true; this.#isKnown; isEarly = !isEarly) {
      // Requests are sent alternately before and after the turn of a second, because a drift shows on one side only.
      // Their distance from the turn exceeds the uncertainty, because closer responses cannot contradict the
      // measurement. It is also the largest drift that they can show, so a contradiction increases it.
      const aside = Math.min(2 * this.#uncertainty + this.#bounds.bestRoundTrip / 2, SECOND_MS / 2);
      await pause(WATCH_INTERVAL_MS, signal);
      await pause(this.#untilTurn(0, isEarly ? -aside : aside), signal);
      const sample = signal.aborted ? null : await this.#sample(this.#watcher, signal);
      if (signal.aborted) {
        return;
      }
      if (sample !== null) {
        const before = this.#uncertainty;
        this.#contradiction = Math.max(this.#contradiction, contradictionOf(0, sample));
        if (before <= MAX_UNCERTAINTY_MS && this.#uncertainty > MAX_UNCERTAINTY_MS) {
          lost();
        }
      }
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

/** @typedef {{ min: number, max: number }} OffsetBounds bounds on how far the store's clock is ahead of ours, in ms */

/**
 * Bounds on the clock offset from one response. The store read its clock between our sending and receiving, and
 * truncated the time to whole seconds.
 *
 * @param {ClockSample} sample
 * @returns {OffsetBounds}
 */
export function boundsOf({ sentAt, receivedAt, date }) {
  return { min: date - receivedAt, max: date + DATE_RESOLUTION_MS - sentAt };
}

/**
 * The offset of the store's clock from ours, as the intersection of the bounds from all responses. Responses near the
 * turn of a second narrow it, ultimately to about ± half the best round trip.
 */
export class ClockOffset {
  #min = -Infinity;
  #max = Infinity;
  #bestRoundTrip = Infinity;
  samples = 0;

  /** @param {ClockSample} sample */
  add(sample) {
    const { min, max } = boundsOf(sample);
    this.#min = Math.max(this.#min, min);
    this.#max = Math.min(this.#max, max);
    this.#bestRoundTrip = Math.min(this.#bestRoundTrip, sample.receivedAt - sample.sentAt);
    this.samples += 1;
  }

  /** ms between the bounds; negative if responses contradict each other because they came from different clocks. */
  get width() {
    return this.#max - this.#min;
  }

  /** The shortest round trip in ms. */
  get bestRoundTrip() {
    return this.#bestRoundTrip;
  }

  /** The middle of the bounds in ms: add it to our time to get the store's. */
  get offset() {
    return (this.#min + this.#max) / 2;
  }

  /** Maximum error of {@link offset} in ms. Contradictory responses widen it by their difference. */
  get uncertainty() {
    const half = Math.abs(this.width) / 2;
    return this.width < 0 ? half + this.#bestRoundTrip / 2 : half;
  }
}

/**
 * How far an offset is outside the bounds of a response: the drift since the offset was measured.
 *
 * @param {number} offset ms
 * @param {ClockSample} sample
 * @returns {number} ms; 0 if the response agrees with the offset
 */
export function contradictionOf(offset, sample) {
  const { min, max } = boundsOf(sample);
  return Math.max(min - offset, offset - max, 0);
}
