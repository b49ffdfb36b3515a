import { keepSecrets, keptSecrets } from '../text/redact.js';

/** @import { Credentials } from '../model/config.js' */

/** A store may repeat in an error what an earlier request was signed with: as many credentials before the current ones. */
const MAX_REMEMBERED = 2;

/**
 * The credentials that requests are signed with. Temporary ones are replaced in mid-run, before they end: who signs takes
 * the current ones at least once a second.
 */
export class LiveCredentials {
  /** The newest first. @type {readonly Credentials[]} */
  #recent = [];
  /** @type {Set<(credentials: Credentials) => void>} */
  #listeners = new Set();

  /** @param {Credentials} credentials */
  constructor(credentials) {
    this.#take(credentials);
  }

  /** @returns for another thread: the current ones, and all that this thread must not show */
  toState() {
    return { current: this.current, secrets: keptSecrets() };
  }

  /** @param {ReturnType<LiveCredentials['toState']>} state */
  static fromState({ current, secrets }) {
    keepSecrets(secrets);
    return new LiveCredentials(current);
  }

  /** The same object until it is replaced. */
  get current() {
    return this.#recent[0];
  }

  /** @param {Credentials} credentials that are valid already */
  replace(credentials) {
    this.#take(credentials);
    this.#listeners.forEach((listener) => listener(credentials));
  }

  /** @param {Credentials} credentials */
  #take(credentials) {
    this.#recent = [credentials, ...this.#recent.slice(0, MAX_REMEMBERED)];
    const secrets = this.#recent.flatMap(({ secretAccessKey, sessionToken = '' }) => [secretAccessKey, sessionToken]);
    keepSecrets({ secrets, ids: this.#recent.map(({ accessKeyId }) => accessKeyId) }, this);
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
