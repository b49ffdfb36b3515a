import { ClockOffset, contradictionOf } from './clock-offset.js';
import { formatDuration } from '../text/units.js';
import { pause } from './pause.js';

/**
 * @import { ClockSample } from './clock-offset.js'
 * @import { Clock } from './clock.js'
 * @import { ClockFacts } from '../model/result.js'
 * @import { ObjectConnection } from '../s3/object-store.js'
 */

/** The pause between requests while the turn of the store's second is looked for. */
const SEARCH_INTERVAL_MS = 40;

/** A turn comes within a second; the rest is for slow answers. */
const MAX_SEARCH_MS = 2500;

/** Questions around a turn whose time is known roughly. */
const REQUESTS_AT_TURN = 12;

/** The pause between two questions while the stages run. */
const WATCH_INTERVAL_MS = 2000;

const SECOND_MS = 1000;

/** How far the host's wall clock may be off when it is set after a suspension. */
const MAX_WALL_ERROR_MS = 1000;

/** Above this, ± ms, the clock counts as unknown: its answers contradict one another, or took too long. */
const MAX_UNCERTAINTY_MS = 5000;

/**
 * A closer look spreads its questions over what the first one left open, and can make that no narrower than a round trip.
 * Where less than a third could be gained, as with a far store, it is not worth the wait for another turn.
 */
const WORTHWHILE_GAIN = 1.5;

/**
 * The store's clock, as its Date headers show it. It is measured before the first stage; what is seen later can only
 * widen the uncertainty.
 */
export class StoreClock {
  #clock;
  #request;
  /** Connections that carry no question. @type {ObjectConnection[]} */
  #free;
  /** Carries the questions of the time after it was measured. */
  #watcher;
  #bounds = new ClockOffset();
  /** How far later answers were off what was measured, in ms. */
  #contradiction = 0;
  #isKnown = false;

  /**
   * @param {object} options
   * @param {Clock} options.clock that is set to the store's time
   * @param {(connection: ObjectConnection, signal: AbortSignal) => Promise<number>} options.request the store's Date in
   *   epoch ms, 0 where the answer had none
   * @param {readonly ObjectConnection[]} options.connections for the requests; once it is measured, only the last is used
   *   one alone
   */
  constructor({ clock, request, connections }) {
    this.#clock = clock;
    this.#request = request;
    this.#free = [...connections];
    this.#watcher = connections[connections.length - 1];
  }

  /**
   * What is known by now; null where the clock could not be measured. What is learned after that can only make the
   * uncertainty wider.
   *
   * @returns {ClockFacts | null}
   */
  get facts() {
    return this.#isKnown ? { offset: round(this.#bounds.offset), uncertainty: round(this.#uncertainty) } : null;
  }

  /** Why the clock is unknown; null where it was measured. @returns {string | null} */
  get problem() {
    if (this.#isKnown) {
      return null;
    }
    return this.#bounds.samples === 0
      ? 'no answer had a Date header'
      : `the Date headers of its answers leave it uncertain by ±${formatDuration(this.#bounds.uncertainty)}`;
  }

  /** ms */
  get #uncertainty() {
    return Math.max(this.#bounds.uncertainty, this.#contradiction);
  }

  /**
   * Measures the offset, in one or two seconds, and sets the clock by it where it is known well enough.
   *
   * @param {AbortSignal} signal gives up
   */
  async measure(signal) {
    await this.#lookForTurn(signal);
    await this.#lookCloselyAtTurn(signal);
    this.#isKnown = this.#bounds.samples > 0 && this.#bounds.uncertainty <= MAX_UNCERTAINTY_MS;
    if (this.#isKnown) {
      this.#clock.adjust(this.#bounds.offset);
    }
  }

  /**
   * Asks from time to time whether the clock, once it is set, is still right.
   *
   * @param {AbortSignal} signal ends it
   * @param {() => void} lost called once the clock that was measured counts as unknown
   */
  async watch(signal, lost) {
    for (let isEarly = true; this.#isKnown; isEarly = !isEarly) {
      // Now before the turn of a second, now after it: a drift comes out on one side or the other. Within the uncertainty
      // no answer adds anything, and none shows more than its distance from the turn: after one that
      // contradicts, the next are asked further out.
      const aside = Math.min(2 * this.#uncertainty + this.#bounds.bestRoundTrip / 2, SECOND_MS / 2);
      await pause(WATCH_INTERVAL_MS, signal);
      await pause(this.#untilTurn(0, isEarly ? -aside : aside), signal);
      const sample = signal.aborted ? null : await this.#sample(this.#watcher, signal);
      if (signal.aborted) {
        return;
      }
      if (sample !== null && !this.#takeOutPause(sample)) {
        const before = this.#uncertainty;
        this.#contradiction = Math.max(this.#contradiction, contradictionOf(0, sample));
        if (before <= MAX_UNCERTAINTY_MS && this.#uncertainty > MAX_UNCERTAINTY_MS) {
          lost();
        }
      }
    }
  }

  /**
   * The monotonic time of a machine may stand still while the machine is suspended. Then the store's clock and the host's wall
   * clock, once it is set, are both ahead by the same time. One of them alone may have been set for another reason.
   *
   * @param {ClockSample} sample
   * @returns {boolean} whether the machine was suspended since the last sample
   */
  #takeOutPause(sample) {
    const lead = this.#clock.wallLead;
    const wasSuspended = lead >= SECOND_MS && contradictionOf(lead, sample) <= this.#uncertainty + MAX_WALL_ERROR_MS;
    if (wasSuspended) {
      this.#clock.stoodStill(lead);
    }
    return wasSuspended;
  }

  /**
   * Asks until the store's second has turned: then the turn is known to within two questions.
   *
   * @param {AbortSignal} signal
   */
  async #lookForTurn(signal) {
    const searchedUntil = this.#clock.now() + MAX_SEARCH_MS;
    const isFound = () =>
      this.#bounds.samples > 0 && this.#bounds.width <= SEARCH_INTERVAL_MS + 2 * this.#bounds.bestRoundTrip;
    await this.#requestEvery(SEARCH_INTERVAL_MS, () => !isFound() && this.#clock.now() < searchedUntil, signal);
  }

  /**
   * Spreads questions over the time in which the next turn has to come.
   *
   * @param {AbortSignal} signal
   */
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
   * @param {() => boolean} goesOn
   * @param {AbortSignal} signal
   */
  async #requestEvery(interval, goesOn, signal) {
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
   * @returns {Promise<ClockSample | null>} null where the answer has no time
   */
  async #sample(connection, signal) {
    const sentAt = this.#clock.epochNow();
    const date = await this.#request(connection, signal);
    const receivedAt = this.#clock.epochNow();
    return date === 0 ? null : { sentAt, receivedAt, date };
  }

  /**
   * @param {number} offset ms by which the store is ahead of our clock as it is now
   * @param {number} aside ms
   * @returns {number} ms until a request has to be sent for the store to read it so long after a turn of its second
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
