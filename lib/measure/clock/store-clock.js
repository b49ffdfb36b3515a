import { formatDuration } from '../../text/units.js';
import { pause } from './pause.js';

/**
 * @import { ClockFacts } from '../../result/result.js'
 * @import { ObjectConnection } from '../../store/object-store.js'
 * @import { Clock } from './clock.js'
 */

/** Interval between requests until the turn of the store's second. */
const INTERVAL_MS = 20;

/** A turn comes within a second; the rest allows for slow responses. */
const MAX_SEARCH_MS = 2500;

/** ± ms. Above this, the clock counts as unknown: responses contradict one another or took too long. */
const MAX_UNCERTAINTY_MS = 5000;

/**
 * Measures the store's clock before the first stage, by its Date headers: sends requests until two of them enclose the
 * turn of the store's second.
 *
 * @param {object} options
 * @param {Clock} options.clock set to the store's time, if the measured offset is accurate enough
 * @param {(connection: ObjectConnection, signal: AbortSignal) => Promise<number>} options.request resolves to the
 *   store's Date in epoch ms, or 0 if the response had none
 * @param {readonly ObjectConnection[]} options.connections idle
 * @param {AbortSignal} signal
 * @returns {Promise<{ facts: ClockFacts | null, problem: string | null }>} why the clock is unknown, if it is
 */
export async function measureStoreClock({ clock, request, connections }, signal) {
  const bounds = new ClockOffset();
  const idle = [...connections];
  const ask = async () => {
    const connection = idle.pop();
    if (connection !== undefined) {
      const sentAt = clock.epochNow();
      const date = await request(connection, signal);
      idle.push(connection);
      if (date !== 0) {
        bounds.add({ sentAt, receivedAt: clock.epochNow(), date });
      }
    }
  };
  const isFound = () => bounds.samples > 0 && bounds.width <= INTERVAL_MS + 2 * bounds.bestRoundTrip;
  const searchedUntil = clock.now() + MAX_SEARCH_MS;
  /** @type {Promise<void>[]} */
  const asked = [];
  while (!isFound() && clock.now() < searchedUntil && !signal.aborted) {
    asked.push(ask());
    await pause(INTERVAL_MS, signal);
  }
  await Promise.all(asked);
  const { samples, offset, uncertainty } = bounds;
  if (samples === 0) {
    return { facts: null, problem: 'no response had a Date header' };
  }
  if (uncertainty > MAX_UNCERTAINTY_MS) {
    const problem = `the store's Date headers leave its clock uncertain by ±${formatDuration(uncertainty)}`;
    return { facts: null, problem };
  }
  clock.adjust(offset);
  return { facts: { offset: round(offset), uncertainty: round(uncertainty) }, problem: null };
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
