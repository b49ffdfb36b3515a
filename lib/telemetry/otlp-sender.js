import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { NameLookup } from './name-lookup.js';

/**
 * @import { IncomingMessage } from 'node:http'
 * @import { OtlpTarget } from './otlp-target.js'
 */

// How a collector is asked, and what its answers mean: https://opentelemetry.io/docs/specs/otlp/#otlphttp

/** Answers after which the same may be sent again. */
const RETRYABLE = [429, 502, 503, 504];

const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 30_000;

/** More of an answer is not read. */
const MAX_ANSWER_BYTES = 64 * 1024;

const compress = promisify(gzip);

/**
 * @typedef {object} Answer
 * @property {number} status
 * @property {number | null} retryAfter ms that the collector wants to be left alone; null where it does not say
 * @property {string} body the beginning of it
 *
 * @typedef {object} Delivery what became of a request
 * @property {boolean} hasArrived
 * @property {number} rejected data points or spans that the collector did not take although it took the request
 * @property {string | null} reason why it, or a part of it, was not taken; null where all of it was
 */

/** There was no answer as long as somebody waited for it. */
class OutOfTimeError extends Error {}

/** The way to one address of a collector. What it says is never repeated: it may be hostile, or hold what it was sent. */
export class OtlpSender {
  #target;
  #now;
  #random;
  #agent;
  #names;
  /** Monotonic ms: the collector does not want to be asked before. */
  #notBefore = -Infinity;

  /**
   * @param {OtlpTarget} target
   * @param {object} deps
   * @param {() => number} deps.now monotonic ms
   * @param {() => number} deps.random uniform in [0, 1)
   * @param {NameLookup} [deps.names]
   */
  constructor(target, { now, random, names = new NameLookup() }) {
    this.#target = target;
    this.#now = now;
    this.#random = random;
    this.#names = names;
    const { isTls, certificate, clientCertificate, clientKey } = target;
    const trust = { ca: certificate, cert: clientCertificate, key: clientKey };
    this.#agent = isTls ? new HttpsAgent({ keepAlive: true, ...trust }) : new HttpAgent({ keepAlive: true });
  }

  /**
   * Sends a request, as often as the collector's answers allow, until it has arrived or the time is over.
   *
   * @param {() => object} encode makes the request: what is sent again is as new as can be
   * @param {number} endsAt monotonic ms
   * @param {AbortSignal} signal ends it early
   * @returns {Promise<Delivery>}
   */
  async send(encode, endsAt, signal) {
    for (let delay = FIRST_PAUSE_MS; ; delay = Math.min(2 * delay, MAX_PAUSE_MS)) {
      const wait = this.#notBefore - this.#now();
      if (this.#notBefore >= endsAt) {
        return lost('it asked to be left alone for longer than there is time');
      }
      if (wait > 0) {
        await pause(wait, undefined, { signal }).catch(() => {});
      }
      if (signal.aborted) {
        return lost('there was no time left');
      }
      const { delivery, mayRetry } = await this.#attempt(encode(), endsAt, signal);
      // Many hosts that lost the same collector are not to come back at the same time.
      const retryAt = this.#now() + delay * (0.5 + this.#random() / 2);
      if (!mayRetry || Math.max(retryAt, this.#notBefore) >= endsAt) {
        return delivery;
      }
      await pause(Math.max(retryAt - this.#now(), 0), undefined, { signal }).catch(() => {});
    }
  }

  close() {
    this.#names.close();
    this.#agent.destroy();
  }

  /**
   * @param {object} body
   * @param {number} endsAt monotonic ms
   * @param {AbortSignal} signal
   * @returns {Promise<{ delivery: Delivery, mayRetry: boolean }>}
   */
  async #attempt(body, endsAt, signal) {
    const time = Math.max(Math.ceil(Math.min(this.#target.timeout, endsAt - this.#now())), 1);
    try {
      const { status, retryAfter, body: text } = await this.#post(body, time, signal);
      if (status >= 200 && status < 300) {
        return { delivery: arrived(rejectedIn(text)), mayRetry: false };
      }
      if (retryAfter !== null) {
        this.#notBefore = this.#now() + retryAfter;
      }
      return { delivery: lost(`HTTP status ${status}`), mayRetry: RETRYABLE.includes(status) };
    } catch (error) {
      this.#names.forget();
      return { delivery: lost(reasonOf(error)), mayRetry: !signal.aborted };
    }
  }

  /**
   * @param {object} body
   * @param {number} time ms that it may take
   * @param {AbortSignal} signal
   * @returns {Promise<Answer>}
   */
  async #post(body, time, signal) {
    const { isTls, url, headers, compresses } = this.#target;
    const json = JSON.stringify(body);
    const payload = compresses ? await compress(json) : Buffer.from(json);
    const request = (isTls ? httpsRequest : httpRequest)(url, {
      method: 'POST',
      agent: this.#agent,
      lookup: this.#names.lookup,
      headers: {
        'user-agent': 'r2-benchmark',
        ...headers,
        'content-type': 'application/json',
        'content-length': payload.length,
        ...(compresses ? { 'content-encoding': 'gzip' } : {}),
      },
    });
    const giveUp = () => request.destroy(new OutOfTimeError());
    const timer = setTimeout(giveUp, time);
    signal.addEventListener('abort', giveUp);
    try {
      return await new Promise((resolve, reject) => {
        request.on('error', reject);
        request.on('response', (response) => readAnswer(response).then(resolve, reject));
        // Without a listener, Node ends the request without a word.
        request.on('upgrade', ({ statusCode = 0 }, socket) => {
          socket.destroy();
          resolve({ status: statusCode, retryAfter: null, body: '' });
        });
        request.end(payload);
      });
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
    }
  }
}

/**
 * @param {IncomingMessage} response
 * @returns {Promise<Answer>}
 */
async function readAnswer(response) {
  const parts = [];
  let length = 0;
  for await (const part of response) {
    if (length < MAX_ANSWER_BYTES) {
      parts.push(part);
    }
    length += part.length;
    if (length >= MAX_ANSWER_BYTES) {
      response.destroy();
      break;
    }
  }
  const body = Buffer.concat(parts).toString('utf8');
  return { status: response.statusCode ?? 0, retryAfter: retryAfterOf(response.headers['retry-after']), body };
}

/**
 * @param {string | undefined} header in seconds; a date is not taken
 * @returns {number | null} ms
 */
function retryAfterOf(header) {
  return header !== undefined && /^[0-9]{1,6}$/.test(header) ? 1000 * Number(header) : null;
}

/**
 * @param {string} body of an answer that says that all is well
 * @returns {number} data points or spans that were not taken all the same
 */
function rejectedIn(body) {
  try {
    const { partialSuccess = {} } = JSON.parse(body);
    const rejected = Number(partialSuccess.rejectedDataPoints ?? partialSuccess.rejectedSpans ?? 0);
    return rejected > 0 ? rejected : 0;
  } catch {
    return 0;
  }
}

/**
 * @param {number} rejected
 * @returns {Delivery}
 */
function arrived(rejected) {
  return { hasArrived: true, rejected, reason: rejected === 0 ? null : `it rejected ${rejected} of what it was sent` };
}

/**
 * @param {string} reason
 * @returns {Delivery}
 */
function lost(reason) {
  return { hasArrived: false, rejected: 0, reason };
}

/**
 * @param {unknown} error
 * @returns {string} a word for it: the message may name what was sent
 */
function reasonOf(error) {
  const { name, code } = /** @type {NodeJS.ErrnoException} */ (error);
  return error instanceof OutOfTimeError ? 'no answer in time' : String(code ?? name);
}
