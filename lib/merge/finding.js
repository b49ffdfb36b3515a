import { andMore } from './wording.js';

/** Something that is wrong with lines of a kind: the first of them, and how many. */
export class Finding {
  /** @type {number | null} */
  line = null;
  #count = 0;

  /** @param {number} line */
  at(line) {
    this.line ??= line;
    this.#count += 1;
  }

  /**
   * @param {string} message
   * @returns {{ line: number, message: string }[]}
   */
  told(message) {
    return this.line === null ? [] : [{ line: this.line, message: message + andMore(this.#count) }];
  }
}
