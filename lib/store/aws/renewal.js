import { isDeepStrictEqual, types } from 'node:util';
import { LiveCredentials } from '../live-credentials.js';

/** @import { Credentials } from '../../result/config.js' */

/** Credentials are renewed this long before they expire: AWS's own providers return new ones from then on. */
const LEAD_MS = 300_000;

const INTERVAL_MS = 10_000;

const MAX_WAIT_MS = 60_000;

/**
 * @template Found
 * @param {(signal: AbortSignal) => Promise<Found>} ask a source of credentials; must release its resources when the
 *   signal aborts
 * @param {AbortSignal} [signal] ends the wait
 * @returns {Promise<Found>}
 * @throws {Error} of the source; if the signal aborts; or if there is no answer in time
 */
export async function askInTime(ask, signal) {
  const limit = new AbortController();
  const tooLate = new Error(`no answer within ${MAX_WAIT_MS / 1000} s: check the source of the credentials`);
  const timer = setTimeout(() => limit.abort(tooLate), MAX_WAIT_MS);
  const ending = AbortSignal.any([limit.signal, signal ?? limit.signal]);
  const givenUp = new Promise((_resolve, reject) => {
    ending.addEventListener('abort', () => reject(ending.reason));
    if (ending.aborted) {
      reject(ending.reason);
    }
  });
  try {
    return await Promise.race([ask(ending), givenUp]);
  } catch (error) {
    throw error instanceof Error ? error : new Error('expected credentials, but their source failed without an Error');
  } finally {
    clearTimeout(timer);
  }
}

/**
 * @param {unknown} expiration from a source of credentials
 * @returns {Pick<Credentials, 'expiresAt'>}
 * @throws {Error} if it is neither a valid date nor absent
 */
export function expiryOf(expiration) {
  if (expiration === undefined) {
    return {};
  }
  const expiresAt = types.isDate(expiration) ? expiration.getTime() : NaN;
  if (Number.isNaN(expiresAt)) {
    throw new Error('expected the expiration of the credentials to be a valid date');
  }
  return { expiresAt };
}

/** Asks the source of temporary credentials for new ones before they expire. */
export class Renewal {
  #ask;
  #ending = new AbortController();
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  credentials;

  /**
   * @param {Credentials} credentials with an expiry time
   * @param {(signal: AbortSignal) => Promise<Credentials>} ask see askInTime
   */
  constructor(credentials, ask) {
    this.credentials = new LiveCredentials(credentials);
    this.#ask = ask;
  }

  /**
   * @param {{ epochNow: () => number, notice: (message: string) => void }} context `epochNow` returns ms; `notice`
   *   reports the first of several consecutive failures
   */
  start({ epochNow, notice }) {
    let isAsking = false;
    let hasFailed = false;
    this.#timer = setInterval(async () => {
      const { expiresAt = Infinity } = this.credentials.current;
      if (isAsking || expiresAt - epochNow() > LEAD_MS) {
        return;
      }
      isAsking = true;
      const problem = await this.#renew();
      isAsking = false;
      if (problem !== null && !hasFailed) {
        const expiry = new Date(expiresAt).toISOString();
        notice(`The credentials could not be renewed (${problem}) and expire at ${expiry}: trying again`);
      }
      hasFailed = problem !== null;
    }, INTERVAL_MS);
  }

  stop() {
    clearInterval(this.#timer);
    this.#ending.abort();
  }

  /** @returns {Promise<string | null>} why there are no new credentials; null if there are, or after a stop */
  async #renew() {
    const { signal } = this.#ending;
    try {
      const renewed = await this.#ask(signal);
      if (!signal.aborted && !isDeepStrictEqual(renewed, this.credentials.current)) {
        this.credentials.replace(renewed);
      }
      return null;
    } catch (error) {
      return signal.aborted ? null : /** @type {Error} */ (error).message;
    }
  }
}
