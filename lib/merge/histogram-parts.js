/** @import { HistogramPart } from './machine-facts.js' */

/** Puts the numbered parts of an encoded histogram together again. */
export class HistogramParts {
  /** By number. @type {Map<number, string>} */
  #parts = new Map();
  #of = 0;
  #isWhole = false;

  /**
   * @param {HistogramPart} part
   * @returns {string | null} the whole encoding, once, with the part that was the last to come
   */
  add({ part, of, data }) {
    if (this.#isWhole) {
      return null;
    }
    this.#of = of;
    this.#parts.set(part, data);
    if (this.#firstMissing() !== null) {
      return null;
    }
    const whole = this.#numbers()
      .map((number) => this.#parts.get(number))
      .join('');
    this.#isWhole = true;
    this.#parts.clear();
    return whole;
  }

  /** @returns {string | null} what is missing, in words; null where nothing is */
  missing() {
    if (this.#isWhole) {
      return null;
    }
    return this.#of === 0 ? 'no histogram' : `part ${this.#firstMissing()} of ${this.#of} of the histogram is missing`;
  }

  #numbers() {
    return Array.from({ length: this.#of }, (_, place) => place + 1);
  }

  #firstMissing() {
    return this.#numbers().find((number) => !this.#parts.has(number)) ?? null;
  }
}
