import { AttemptError, THROTTLED, timeoutError } from './s3-error.js';

/** @import { ObjectConnection } from './object-store.js' */

const MIN_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 5000;
const MAX_RETRY_AFTER_MS = 30_000;

/** If the store asks for a wait, up to this share of it, or up to the backoff if that is longer, is added at random. */
const SPREAD_OF_RETRY_AFTER = 0.25;

/** R2 accepts one write per key per second, so a write that may have been carried out is not repeated sooner. */
const MIN_REWRITE_PAUSE_MS = 1000;

/**
 * @typedef {object} RetriedRequest a request as the retry policy sees it; times are monotonic ms
 * @property {() => Promise<void>} attempt
 * @property {Pick<ObjectConnection, 'startedAt' | 'idleSince'>} connection
 * @property {boolean} isWrite
 * @property {number} attempts so far
 * @property {boolean} outcomeUnknown whether a failed attempt may have taken effect, or may still do so. Throttled
 *   attempts count only after the request has failed for good
 * @property {number} intendedAt when an open-loop operation was due; 0 in a closed loop
 * @property {number} startedAt of the first attempt, or its due time
 * @property {number} attemptStartedAt of the last attempt
 * @property {number} finishedAt of the last attempt
 */

/**
 * @template {RetriedRequest} Request
 * @typedef {object} RetryHooks
 * @property {(error: AttemptError, request: Request) => void} attemptFailed the last attempt ended in an AttemptError
 * @property {(error: AttemptError, request: Request) => void} retrying the request is about to be resent
 */

/**
 * A request that is not an operation, and writes nothing.
 *
 * @template {RetriedRequest['connection']} Connection
 * @param {() => Promise<void>} attempt
 * @param {Connection} connection
 * @returns {RetriedRequest & { connection: Connection }}
 */
export function retriedRequest(attempt, connection) {
  const times = { intendedAt: 0, startedAt: 0, attemptStartedAt: 0, finishedAt: 0 };
  return { attempt, connection, isWrite: false, attempts: 0, outcomeUnknown: false, ...times };
}

/** Waits that can all be ended at once, so that a run can stop without waiting for its backoff to pass. */
export class Pauses {
  /** @type {Map<NodeJS.Timeout, () => void>} */
  #pending = new Map();

  /**
   * @param {number} milliseconds
   * @returns {Promise<void>} resolves after that time, or when the pauses are ended
   */
  wait(milliseconds) {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#pending.delete(timer);
        resolve();
      }, milliseconds);
      this.#pending.set(timer, resolve);
    });
  }

  endAll() {
    for (const [timer, resolve] of this.#pending) {
      clearTimeout(timer);
      resolve();
    }
    this.#pending.clear();
  }
}

/**
 * The only retry policy, for every client: exponential backoff with full jitter
 * (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
 *
 * @template {RetriedRequest} [Request=RetriedRequest]
 */
export class Retrier {
  #now;
  #options;

  /**
   * @param {object} options
   * @param {number} options.maxAttempts per operation
   * @param {() => number} options.now monotonic ms
   * @param {() => number} options.random uniform in [0, 1)
   * @param {Pauses} options.pauses
   * @param {AbortSignal} options.signal stops all retries
   * @param {RetryHooks<Request>} [options.hooks]
   */
  constructor(options) {
    this.#options = options;
    this.#now = options.now;
  }

  /**
   * The same policy, with some other options.
   *
   * @param {Partial<{ maxAttempts: number, hooks: RetryHooks<Request> }>} options
   * @returns {Retrier<Request>}
   */
  with(options) {
    return new Retrier({ ...this.#options, ...options });
  }

  /**
   * Sends a request until it succeeds, or the policy gives up.
   *
   * @param {Request} request
   * @throws {AttemptError} the last attempt's
   */
  async run(request) {
    const { connection } = request;
    request.attempts = 0;
    request.outcomeUnknown = false;
    request.attemptStartedAt = this.#now();
    request.startedAt = request.intendedAt || request.attemptStartedAt;
    let mayBeCarriedOut = false;
    for (;;) {
      request.attempts += 1;
      connection.startedAt = request.attemptStartedAt;
      try {
        await request.attempt();
        this.#finish(request);
        return;
      } catch (error) {
        this.#finish(request);
        if (!(error instanceof AttemptError)) {
          throw error;
        }
        mayBeCarriedOut ||= error.outcomeUnknown;
        await this.#afterFailure(request, error, mayBeCarriedOut);
      }
      request.attemptStartedAt = this.#now();
    }
  }

  /**
   * Sends a single request that is not part of an operation, with the same retries.
   *
   * @template Result
   * @param {() => Promise<Result>} request
   * @param {RetriedRequest['connection']} connection
   * @returns {Promise<Result>}
   * @throws {AttemptError} the last attempt's
   */
  async call(request, connection) {
    /** @type {Result | undefined} */
    let result;
    const attempt = async () => {
      result = await request();
    };
    await this.run(/** @type {Request} */ (retriedRequest(attempt, connection)));
    return /** @type {Result} */ (result);
  }

  /** @param {Request} request */
  #finish(request) {
    request.finishedAt = this.#now();
    request.connection.startedAt = 0;
    request.connection.idleSince = request.finishedAt;
  }

  /**
   * Waits until a failed request can be retried.
   *
   * @param {Request} request
   * @param {AttemptError} error
   * @param {boolean} mayBeCarriedOut whether any attempt of the request may have been carried out
   * @throws {AttemptError} if it must not be retried
   */
  async #afterFailure(request, error, mayBeCarriedOut) {
    const { maxAttempts, random, pauses, signal, hooks } = this.#options;
    // A store that asks for fewer requests is unlikely to have carried out this one, or to do so later. The next
    // attempt therefore needs no rewrite pause.
    request.outcomeUnknown ||= error.outcomeUnknown && error.kind !== THROTTLED;
    hooks?.attemptFailed(error, request);
    if (error.handling !== 'retry' || request.attempts >= maxAttempts || signal.aborted) {
      request.outcomeUnknown = mayBeCarriedOut;
      throw error;
    }
    // A second stale connection in a row counts as an ordinary failure.
    if (!(error.staleConnection && request.attempts === 1)) {
      await pauses.wait(backoff(request, error, random()));
    }
    if (signal.aborted) {
      request.outcomeUnknown = mayBeCarriedOut;
      throw error;
    }
    hooks?.retrying(error, request);
  }
}

/**
 * @param {Pick<RetriedRequest, 'attempts' | 'isWrite' | 'outcomeUnknown'>} request
 * @param {Pick<AttemptError, 'retryAfter'>} error from its last attempt
 * @param {number} chance uniform in [0, 1)
 * @returns {number} ms to wait before the next attempt
 */
export function backoff(request, error, chance) {
  const ceiling = Math.min(MIN_BACKOFF_MS * 2 ** (request.attempts - 1), MAX_BACKOFF_MS);
  const requested = Math.min(error.retryAfter, MAX_RETRY_AFTER_MS);
  const rewritePause = request.isWrite && request.outcomeUnknown ? MIN_REWRITE_PAUSE_MS : 0;
  // Add the jitter even to a wait that the store asks for: all threads get the same wait, and would otherwise resume together.
  return Math.max(requested, rewritePause) + chance * Math.max(ceiling, requested * SPREAD_OF_RETRY_AFTER);
}

/**
 * Whether the store asked for fewer requests, or was overloaded according to its response or its documentation. Retries
 * do not depend on this.
 *
 * @param {AttemptError} error
 */
export function isThrottled(error) {
  return error.kind === THROTTLED || error.isOverload;
}

const MIN_INTERVAL_MS = 5;
const MAX_INTERVAL_MS = 250;

/** How often deadlines are checked per timeout: an attempt ends at most about one twentieth of its timeout late. */
const SWEEPS_PER_TIMEOUT = 20;

/**
 * Ends attempts that take too long, whether they are connecting, waiting for a response, or receiving a body byte by
 * byte. One timer serves all connections.
 */
export class AttemptDeadlines {
  #options;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /**
   * @param {{ timeout: number, now: () => number, connections: readonly ObjectConnection[] }} options `timeout`: ms for
   *   a whole attempt; `now`: monotonic ms
   */
  constructor(options) {
    this.#options = options;
  }

  start() {
    const interval = Math.min(Math.max(this.#options.timeout / SWEEPS_PER_TIMEOUT, MIN_INTERVAL_MS), MAX_INTERVAL_MS);
    this.#timer = setInterval(() => this.#sweep(), interval);
  }

  stop() {
    clearInterval(this.#timer);
  }

  #sweep() {
    const { timeout, now, connections } = this.#options;
    const oldest = now() - timeout;
    for (const connection of connections) {
      if (connection.startedAt !== 0 && connection.startedAt < oldest) {
        connection.abort(timeoutError(timeout, connection.moved - connection.movedBefore));
      }
    }
  }
}
