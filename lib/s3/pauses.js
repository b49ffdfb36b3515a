/** Waits that can all be ended at once, so that a run which stops does not sit out its backoff. */
export class Pauses {
  /** @type {Map<NodeJS.Timeout, () => void>} */
  #pending = new Map();

  /**
   * @param {number} milliseconds
   * @returns {Promise<void>} resolves when they are over, or the pauses are ended
   */
  wait(milliseconds) {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#pending.delete(timer);
        resolve();
      }, milliseconds);
      this.#pending.set(timer, resolve);
    });
  }

  endAll() {
    for (const [timer, resolve] of this.#pending) {
      clearTimeout(timer);
      resolve();
    }
    this.#pending.clear();
  }
}
