import { AttemptError, THROTTLED } from './s3-error.js';

/**
 * @import { ObjectConnection } from './object-store.js'
 * @import { Pauses } from './pauses.js'
 */

const SHORTEST_BACKOFF_MS = 50;
const LONGEST_BACKOFF_MS = 5000;
const LONGEST_RETRY_AFTER_MS = 30_000;

/** The share of a wait that the store asks for over which its retries are spread behind it. */
const SPREAD_OF_RETRY_AFTER = 0.25;

/** R2 takes one write a second of a key: a write that may have been carried out is not repeated sooner. */
const SHORTEST_REWRITE_PAUSE_MS = 1000;

/** The kind of a 429 that answers a repeated write: our own doing, not a limit of the store. */
const REWRITTEN_TOO_SOON = 'rewritten-too-soon';

/**
 * What is retried: one object of the workload under one stage. The times are monotonic ms.
 *
 * @typedef {object} Operation
 * @property {() => Promise<void>} attempt
 * @property {Pick<ObjectConnection, 'startedAt' | 'idleSince'>} connection
 * @property {boolean} isWrite
 * @property {number} attempts made so far
 * @property {boolean} outcomeUnknown an attempt without an answer may have been carried out, or may still be; where the
 *   operation was given up, an attempt that was answered with an error, too
 * @property {number} intendedAt of an open loop, when the operation was to start; 0 where it starts when its turn comes
 * @property {number} startedAt of the first attempt, or the moment at which it was to be
 * @property {number} attemptStartedAt of the last attempt
 * @property {number} finishedAt of the last attempt
 */

/**
 * @typedef {object} RetryHooks
 * @property {(error: AttemptError, latency: number, finishedAt: number) => void} attemptFailed each attempt that ended in
 *   an AttemptError, how long it took in ms, and when it ended in monotonic ms
 * @property {(error: AttemptError) => void} retrying the operation is going to be tried again
 */

/**
 * The one retry policy, whatever the client: exponential backoff with full jitter
 * (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
 */
export class Retrier {
  #mostAttempts;
  #now;
  #random;
  #pauses;
  #signal;
  #hooks;

  /**
   * @param {object} options
   * @param {number} options.mostAttempts of an operation
   * @param {() => number} options.now monotonic ms
   * @param {() => number} options.random uniform in [0, 1)
   * @param {Pauses} options.pauses
   * @param {AbortSignal} options.signal once it is aborted nothing is tried again
   * @param {RetryHooks} options.hooks
   */
  constructor({ mostAttempts, now, random, pauses, signal, hooks }) {
    this.#mostAttempts = mostAttempts;
    this.#now = now;
    this.#random = random;
    this.#pauses = pauses;
    this.#signal = signal;
    this.#hooks = hooks;
  }

  /**
   * Tries an operation until it succeeds, or the policy gives up.
   *
   * @param {Operation} operation
   * @throws {AttemptError} the last attempt's
   */
  async run(operation) {
    const { connection } = operation;
    operation.attempts = 0;
    operation.outcomeUnknown = false;
    operation.attemptStartedAt = this.#now();
    operation.startedAt = operation.intendedAt || operation.attemptStartedAt;
    let mayBeCarriedOut = false;
    for (;;) {
      operation.attempts += 1;
      connection.startedAt = operation.attemptStartedAt;
      try {
        await operation.attempt();
        this.#finish(operation);
        return;
      } catch (error) {
        this.#finish(operation);
        if (!(error instanceof AttemptError)) {
          throw error;
        }
        mayBeCarriedOut ||= error.outcomeUnknown;
        await this.#afterFailure(operation, error, mayBeCarriedOut);
      }
      operation.attemptStartedAt = this.#now();
    }
  }

  /**
   * Tries a request that stands by itself.
   *
   * @template Result
   * @param {() => Promise<Result>} request
   * @param {Operation['connection']} connection that carries it
   * @returns {Promise<Result>}
   * @throws {AttemptError} the last attempt's
   */
  async call(request, connection) {
    /** @type {Result | undefined} */
    let result;
    const attempt = async () => {
      result = await request();
    };
    const times = { intendedAt: 0, startedAt: 0, attemptStartedAt: 0, finishedAt: 0 };
    await this.run({ attempt, connection, isWrite: false, attempts: 0, outcomeUnknown: false, ...times });
    return /** @type {Result} */ (result);
  }

  /** @param {Operation} operation */
  #finish(operation) {
    operation.finishedAt = this.#now();
    operation.connection.startedAt = 0;
    operation.connection.idleSince = operation.finishedAt;
  }

  /**
   * Waits until the operation may be tried again.
   *
   * @param {Operation} operation
   * @param {AttemptError} error
   * @param {boolean} mayBeCarriedOut whether that holds for any of its attempts
   * @throws {AttemptError} where it may not
   */
  async #afterFailure(operation, error, mayBeCarriedOut) {
    if (error.status === 429 && operation.isWrite && operation.outcomeUnknown) {
      error.kind = REWRITTEN_TOO_SOON;
    }
    // Who asks for fewer requests has hardly carried this one out, and never does so later: the next attempt need not wait.
    operation.outcomeUnknown ||= error.outcomeUnknown && !isThrottled(error);
    const { attemptStartedAt, finishedAt } = operation;
    this.#hooks.attemptFailed(error, finishedAt - attemptStartedAt, finishedAt);
    if (error.verdict !== 'retry' || operation.attempts >= this.#mostAttempts || this.#signal.aborted) {
      operation.outcomeUnknown = mayBeCarriedOut;
      throw error;
    }
    // A second connection in a row that breaks at once is a fault of its own, and waits like any other.
    if (!(error.staleConnection && operation.attempts === 1)) {
      await this.#pauses.wait(backoff(operation, error, this.#random()));
    }
    if (this.#signal.aborted) {
      operation.outcomeUnknown = mayBeCarriedOut;
      throw error;
    }
    this.#hooks.retrying(error);
  }
}

/**
 * @param {Pick<Operation, 'attempts' | 'isWrite' | 'outcomeUnknown'>} operation
 * @param {Pick<AttemptError, 'retryAfter'>} error of its last attempt
 * @param {number} chance uniform in [0, 1)
 * @returns {number} ms to wait before the next attempt
 */
export function backoff(operation, error, chance) {
  const ceiling = Math.min(SHORTEST_BACKOFF_MS * 2 ** (operation.attempts - 1), LONGEST_BACKOFF_MS);
  const asked = Math.min(error.retryAfter, LONGEST_RETRY_AFTER_MS);
  const rewritePause = operation.isWrite && operation.outcomeUnknown ? SHORTEST_REWRITE_PAUSE_MS : 0;
  // The jitter comes on top of a wait that is asked for: all threads are asked for the same one, and must not come back
  // together.
  return Math.max(asked, rewritePause) + chance * Math.max(ceiling, asked * SPREAD_OF_RETRY_AFTER);
}

/**
 * @param {AttemptError} error
 * @returns {boolean} whether the store asked for fewer requests
 */
export function isThrottled(error) {
  return error.kind === THROTTLED;
}
