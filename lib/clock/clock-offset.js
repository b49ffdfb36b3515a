/** A Date header is cut to the whole second: the store's clock was less than this much further. */
const DATE_RESOLUTION_MS = 1000;

/**
 * One question to the store what time it has. All in ms; the first two by our clock, the last by the store's.
 *
 * @typedef {object} ClockSample
 * @property {number} sentAt
 * @property {number} receivedAt
 * @property {number} date of the answer's Date header
 */

/**
 * @typedef {object} OffsetBounds by how much the store's clock is at least and at most ahead of ours, in ms
 * @property {number} least
 * @property {number} most
 */

/**
 * What one answer shows of the offset between two clocks. The store read its clock between sending and receiving, and
 * wrote down its whole second.
 *
 * @param {ClockSample} sample
 * @returns {OffsetBounds}
 */
export function boundsOf({ sentAt, receivedAt, date }) {
  return { least: date - receivedAt, most: date + DATE_RESOLUTION_MS - sentAt };
}

/**
 * The offset of the store's clock to ours, from the intersection of the answers' bounds. An answer from around the turn
 * of a second narrows it; in the end about the best round trip remains, half of it to each side.
 */
export class ClockOffset {
  #least = -Infinity;
  #most = Infinity;
  #bestRoundTrip = Infinity;
  samples = 0;

  /** @param {ClockSample} sample */
  add(sample) {
    const { least, most } = boundsOf(sample);
    this.#least = Math.max(this.#least, least);
    this.#most = Math.min(this.#most, most);
    this.#bestRoundTrip = Math.min(this.#bestRoundTrip, sample.receivedAt - sample.sentAt);
    this.samples += 1;
  }

  /** ms between the bounds; below 0 where the answers contradict each other, because they came from different clocks. */
  get width() {
    return this.#most - this.#least;
  }

  /** The shortest time in which a question was answered, in ms. */
  get bestRoundTrip() {
    return this.#bestRoundTrip;
  }

  /** The middle of the bounds, in ms: the store's time is ours plus this. */
  get offset() {
    return (this.#least + this.#most) / 2;
  }

  /** How far the true offset may be from {@link offset}, in ms. Contradicting answers make it as wide as they lie apart. */
  get uncertainty() {
    const half = Math.abs(this.width) / 2;
    return this.width < 0 ? half + this.#bestRoundTrip / 2 : half;
  }
}

/**
 * How far an offset lies outside of what an answer allows: the drift since the offset was measured.
 *
 * @param {number} offset ms
 * @param {ClockSample} sample
 * @returns {number} ms, 0 where the answer agrees with the offset
 */
export function contradictionOf(offset, sample) {
  const { least, most } = boundsOf(sample);
  return Math.max(least - offset, offset - most, 0);
}
