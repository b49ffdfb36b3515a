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
