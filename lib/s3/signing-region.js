/** @import { AttemptError } from './s3-error.js' */

/** As the SDK takes it: a label of a host's name. */
const REGION = /^(?!-)[A-Za-z0-9-]{1,63}(?<!-)$/;

/**
 * @param {string} text
 * @returns {boolean} whether it has the form of a region's name
 */
export function isRegion(text) {
  return REGION.test(text);
}

/** The region that requests are signed for: the configured one, until the store names another in a refusal. */
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
   * Lets a request be sent once more if the store has named the region to sign for. The region changes once in a run, so that
   * buckets in several regions are refused as before.
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
    // The region may have been corrected by another request while this one was under way.
    if (this.#isCorrected && error.region === this.#current) {
      error.handling = 'retry';
    }
  }
}
