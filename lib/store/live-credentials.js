import { keepNames, keepSecrets, keptSecrets } from '../text/redact.js';

/**
 * @import { Credentials } from '../result/config.js'
 * @import { AttemptError } from './s3-error.js'
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

/** The region that requests are signed for: the configured region, until the store refuses it and names another. */
export class SigningRegion {
  #current;
  #onCorrected;
  #isCorrected = false;

  /**
   * @param {string} configured
   * @param {(expected: string, configured: string) => void} [onCorrected]
   */
  constructor(configured, onCorrected = () => {}) {
    this.#current = configured;
    this.#onCorrected = onCorrected;
  }

  get current() {
    return this.#current;
  }

  /**
   * Allows one more attempt if the error gives the region to sign for. The region changes at most once per run: a run
   * with buckets in several regions must still fail.
   *
   * @param {AttemptError} error
   * @param {number} attempts of the request so far
   */
  correct(error, attempts) {
    const configured = this.#current;
    if (error.region === '' || attempts > 1) {
      return;
    }
    if (!this.#isCorrected && error.region !== configured) {
      this.#current = error.region;
      this.#isCorrected = true;
      this.#onCorrected(error.region, configured);
    }
    // Another request may have corrected the region while this one was in flight.
    if (this.#isCorrected && error.region === this.#current) {
      error.handling = 'retry';
    }
  }
}
