import { LiveCredentials } from '../s3/live-credentials.js';

/** @import { Credentials } from '../model/config.js' */

/** Credentials are renewed this long before they expire, or halfway to expiry if that is later. */
const LEAD_MS = 300_000;

/** Minimum pause between requests, in case a source returns credentials that have already expired. */
const MIN_PAUSE_MS = 1000;

const RETRY_PAUSE_MS = 10_000;

const RENEWAL_LIMIT_MS = 30_000;

/** Longest timer. Timers do not advance while the host sleeps, so the clock is checked at least this often. */
const MAX_WAIT_MS = 60_000;

/**
 * @param {number} expiresAt epoch ms
 * @param {number} now epoch ms
 * @returns {number} epoch ms at which to request new credentials
 */
export function renewalTime(expiresAt, now) {
  const left = expiresAt - now;
  return now + Math.max(left - LEAD_MS, left / 2, MIN_PAUSE_MS);
}

/**
 * @param {number} expiresAt epoch ms
 * @param {number} now epoch ms
 * @returns {number} epoch ms of the next request after a failure
 */
export function retryTime(expiresAt, now) {
  const left = expiresAt - now;
  return now + Math.max(MIN_PAUSE_MS, left > 0 ? Math.min(left / 2, RETRY_PAUSE_MS) : RETRY_PAUSE_MS);
}

export class Renewal {
  #renew;
  #epochNow = () => 0;
  /** @type {(message: string) => void} */
  #notice = () => {};
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  /** Aborts the renewal in progress. @type {AbortController | undefined} */
  #underWay;
  #isStopped = false;
  #hasFailed = false;
  credentials;

  /**
   * @param {Credentials} credentials with an expiry time
   * @param {(signal: AbortSignal) => Promise<Credentials>} renew must release its resources when the signal aborts
   */
  constructor(credentials, renew) {
    this.credentials = new LiveCredentials(credentials);
    this.#renew = renew;
  }

  /**
   * @param {{ epochNow: () => number, notice: (message: string) => void }} context `epochNow` returns ms; `notice`
   *   reports the first of several consecutive failures
   */
  start({ epochNow, notice }) {
    this.#epochNow = epochNow;
    this.#notice = notice;
    this.#waitForRenewal();
  }

  stop() {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#underWay?.abort();
  }

  #waitForRenewal() {
    const { expiresAt } = this.credentials.current;
    if (expiresAt !== undefined) {
      this.#waitUntil(renewalTime(expiresAt, this.#epochNow()));
    }
  }

  /** @param {number} moment epoch ms */
  #waitUntil(moment) {
    const left = moment - this.#epochNow();
    const next = left > 0 ? () => this.#waitUntil(moment) : () => void this.#renewNow();
    this.#timer = setTimeout(next, Math.min(Math.max(left, 0), MAX_WAIT_MS));
  }

  async #renewNow() {
    const expiresAt = /** @type {number} */ (this.credentials.current.expiresAt);
    try {
      const renewed = await this.#renewInTime();
      if (!this.#isStopped) {
        this.#hasFailed = false;
        this.credentials.replace(renewed);
        this.#waitForRenewal();
      }
    } catch (error) {
      if (!this.#isStopped) {
        this.#reportOnce(/** @type {Error} */ (error), expiresAt);
        this.#waitUntil(retryTime(expiresAt, this.#epochNow()));
      }
    }
  }

  /**
   * @returns {Promise<Credentials>}
   * @throws {Error} if the renewal fails, times out or is stopped; credentials that arrive later are discarded
   */
  async #renewInTime() {
    const controller = new AbortController();
    const { signal } = controller;
    this.#underWay = controller;
    const tooLate = new Error(`no response within ${RENEWAL_LIMIT_MS / 1000} s`);
    const limit = setTimeout(() => controller.abort(tooLate), RENEWAL_LIMIT_MS);
    const givenUp = new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    try {
      return await Promise.race([this.#renew(signal), givenUp]);
    } finally {
      clearTimeout(limit);
    }
  }

  /**
   * @param {Error} error
   * @param {number} expiresAt epoch ms
   */
  #reportOnce({ message }, expiresAt) {
    if (!this.#hasFailed) {
      this.#notice(
        `The credentials could not be renewed (${message}) and expire at ${new Date(expiresAt).toISOString()}: trying again`,
      );
    }
    this.#hasFailed = true;
  }
}
