/** @import { AttemptError } from './s3-error.js' */

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
