/** Puts the numbered parts of an encoded histogram together again. */
export class HistogramParts {
  /** @type {Map<number, string>} */
  #parts = new Map();
  #of = 0;

  /**
   * @param {import('./machine-facts.js').HistogramPart} part
   * @returns {string | null} the whole encoding where this was the last part that was missing
   */
  add({ part, of, data }) {
    this.#of = of;
    this.#parts.set(part, data);
    const whole = this.missing() === null ? Array.from({ length: of }, (_, place) => this.#parts.get(place + 1)).join('') : null;
    if (whole !== null) {
      this.#parts.clear();
    }
    return whole;
  }

  /** @returns {string | null} what is missing, in words; null where there is a whole */
  missing() {
    const place = Array.from({ length: this.#of }, (_, index) => index + 1).find((part) => !this.#parts.has(part));
    if (this.#of === 0) {
      return 'the histogram is missing';
    }
    return place === undefined ? null : `part ${place} of ${this.#of} of the histogram is missing`;
  }
}
