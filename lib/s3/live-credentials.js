import { keepSecrets, keptSecrets } from '../text/redact.js';

/** @import { Credentials } from '../model/config.js' */

/** Number of previous credentials to keep secret: a store may quote in an error what an earlier request was signed with. */
const MAX_REMEMBERED = 2;

/**
 * The credentials that requests are signed with. Temporary ones are replaced during the run, before they expire: signers
 * fetch the current ones at least once per second.
 */
export class LiveCredentials {
  /** Newest first. @type {readonly Credentials[]} */
  #recent = [];
  /** @type {Set<(credentials: Credentials) => void>} */
  #listeners = new Set();

  /** @param {Credentials} credentials */
  constructor(credentials) {
    this.#take(credentials);
  }

  /** @returns for another thread: the current credentials, and all secrets that it must not show */
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

  /** @param {Credentials} credentials already valid */
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
   * @returns {() => void} stops listening
   */
  onReplaced(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
