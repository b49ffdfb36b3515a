/** Admits a limited number at a time; the rest wait in order of arrival. */
export class Gate {
  #free;
  /** @type {(() => void)[]} */
  #waiting = [];

  /** @param {number} width */
  constructor(width) {
    this.#free = width;
  }

  /** @returns {Promise<void>} resolves when there is room; `leave` makes room again */
  async enter() {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise((resolve) => this.#waiting.push(() => resolve(undefined)));
  }

  leave() {
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#free += 1;
    } else {
      next();
    }
  }
}
