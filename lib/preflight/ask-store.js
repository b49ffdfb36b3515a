import { Pauses } from '../s3/pauses.js';
import { Retrier } from '../s3/retry.js';
import { AttemptError } from '../s3/s3-error.js';

/**
 * @import { ObjectConnection } from '../s3/object-store.js'
 * @import { Operation } from '../s3/retry.js'
 * @import { OpenRun } from '../run/open-run.js'
 * @import { WaitBudget } from './wait-budget.js'
 */

/**
 * How a question is asked.
 *
 * @typedef {object} Asking
 * @property {Pick<OpenRun, 'clock' | 'random' | 'waitBudget'>} run
 * @property {ObjectConnection} connection
 * @property {number} mostAttempts
 * @property {AbortSignal} signal gives the question up
 */

/**
 * @typedef {object} Answer
 * @property {AttemptError | null} error that came back in the end, null where the request succeeded
 * @property {number} attempts
 * @property {boolean} outcomeUnknown whether an attempt may have been carried out although no answer said so
 */

/**
 * Sends a request that is no stage's, under the same retry policy, but for the time that a store may make it wait.
 *
 * @param {Asking} asking
 * @param {() => Promise<void>} request one attempt over that connection
 * @param {boolean} [isWrite]
 * @returns {Promise<Answer>}
 * @throws what is no AttemptError
 */
export async function askStore({ run, connection, mostAttempts, signal }, request, isWrite = false) {
  const pauses = new BoundedPauses(run.waitBudget);
  const retrier = new Retrier({
    mostAttempts,
    now: run.clock.now,
    random: run.random,
    pauses,
    signal: AbortSignal.any([signal, pauses.exhausted]),
    hooks: { attemptFailed: (error) => pauses.attemptFailed(error), retrying() {} },
  });
  const times = { intendedAt: 0, startedAt: 0, attemptStartedAt: 0, finishedAt: 0 };
  const operation = { attempt: request, connection, isWrite, attempts: 0, outcomeUnknown: false, ...times };
  const giveUp = () => {
    pauses.endAll();
    if (connection.startedAt !== 0) {
      connection.abort(abandonedError(isWrite));
    }
  };
  signal.addEventListener('abort', giveUp);
  try {
    await retrier.run(operation);
    return answer(operation, null);
  } catch (error) {
    if (!(error instanceof AttemptError)) {
      throw error;
    }
    return answer(operation, error);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

/** The pauses of one request: those that the store asks for are taken from what all requests may wait together. */
class BoundedPauses extends Pauses {
  #budget;
  #exhausted = new AbortController();
  /** @type {AttemptError | null} */
  #lastError = null;

  /** @param {WaitBudget} budget */
  constructor(budget) {
    super();
    this.#budget = budget;
  }

  /** Aborted once there is no time left for a pause. */
  get exhausted() {
    return this.#exhausted.signal;
  }

  /** @param {AttemptError} error after which there may be a pause */
  attemptFailed(error) {
    this.#lastError = error;
  }

  /**
   * @param {number} milliseconds
   * @returns {Promise<void>}
   */
  async wait(milliseconds) {
    const error = this.#lastError;
    const isAskedFor = error !== null && error.status > 0 && error.retryAfter > 0;
    const pause = isAskedFor ? this.#budget.take(milliseconds, error) : milliseconds;
    if (pause === null) {
      this.#exhausted.abort();
    } else {
      await super.wait(pause);
    }
  }
}

/**
 * @param {Operation} operation
 * @param {AttemptError | null} error
 * @returns {Answer}
 */
function answer({ attempts, outcomeUnknown }, error) {
  return { error, attempts, outcomeUnknown };
}

/** @param {boolean} outcomeUnknown */
function abandonedError(outcomeUnknown) {
  return new AttemptError({ kind: 'abandoned', verdict: 'retry', message: 'the run was stopped', outcomeUnknown });
}
