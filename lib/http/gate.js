/** A semaphore: it admits a limited number of callers at a time, and the others wait in order of arrival. */
export class Gate {
  #free;
  /** @type {(() => void)[]} */
  #waiting = [];

  /** @param {number} width */
  constructor(width) {
    this.#free = width;
  }

  /** @returns {Promise<void>} resolves when the caller is admitted; the caller must call `leave` afterwards */
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
