/** @import { Credentials } from '../model/run-config.js' */

/** A store may repeat in an error what an earlier request was signed with: as many credentials before the current ones. */
const MAX_REMEMBERED = 2;

/**
 * The credentials that requests are signed with. Temporary ones are replaced in mid-run, before they end: who signs takes
 * the current ones at least once a second.
 */
export class LiveCredentials {
  /** The newest first. @type {readonly Credentials[]} */
  #recent;
  /** @type {Set<(credentials: Credentials) => void>} */
  #listeners = new Set();

  /** @param {Credentials} credentials */
  constructor(credentials) {
    this.#recent = [credentials];
  }

  /** The same object until it is replaced. */
  get current() {
    return this.#recent[0];
  }

  /** Those whose secrets must not show: the current ones, and a few before. The same list until they are replaced. */
  get recent() {
    return this.#recent;
  }

  /** @param {Credentials} credentials that are valid already */
  replace(credentials) {
    this.#recent = [credentials, ...this.#recent.slice(0, MAX_REMEMBERED)];
    this.#listeners.forEach((listener) => listener(credentials));
  }

  /**
   * @param {(credentials: Credentials) => void} listener called with each replacement
   * @returns {() => void} ends it
   */
  onReplaced(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
