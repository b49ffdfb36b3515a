import { keepNames, keepSecrets, keptSecrets } from '../text/redact.js';

/**
 * @import { Credentials } from '../result/config.js'
 */

/** Number of previous credentials to keep secret: an error from the store can quote those of an earlier request. */
const MAX_REMEMBERED = 2;

/**
 * The credentials that requests are signed with. Temporary credentials are replaced during the run, before they expire.
 * Signers fetch the current credentials at least once per second.
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

  /** @returns for another thread: the current credentials, and what the thread must and need not withhold */
  toState() {
    return { current: this.current, kept: keptSecrets() };
  }

  /** @param {ReturnType<LiveCredentials['toState']>} state */
  static fromState({ current, kept }) {
    keepSecrets(kept);
    keepNames(kept.names);
    return new LiveCredentials(current);
  }

  /** Returns the same object until the credentials are replaced. */
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
   * @param {(credentials: Credentials) => void} listener
   * @returns {() => void} removes the listener
   */
  onReplaced(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** Like the SDK, accepts any valid label of a host name. */
const REGION = /^(?!-)[A-Za-z0-9-]{1,63}(?<!-)$/;

/** Whether the text is a valid region name. @param {string} text */
export function isRegion(text) {
  return REGION.test(text);
}
