import { Pauses } from '../s3/pauses.js';
import { Retrier } from '../s3/retry.js';
import { AttemptError } from '../s3/s3-error.js';

/**
 * How a question is asked.
 *
 * @typedef {object} Asking
 * @property {Pick<import('./open-run.js').OpenRun, 'clock' | 'random'>} run
 * @property {import('../s3/object-store.js').ObjectConnection} connection
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
 * Sends a request that is no stage's, under the same retry policy.
 *
 * @param {Asking} asking
 * @param {() => Promise<void>} request one attempt over that connection
 * @param {boolean} [isWrite]
 * @returns {Promise<Answer>}
 * @throws what is no AttemptError
 */
export async function askStore({ run, connection, mostAttempts, signal }, request, isWrite = false) {
  const pauses = new Pauses();
  const hooks = { attemptFailed() {}, retrying() {} };
  const retrier = new Retrier({ mostAttempts, now: run.clock.now, random: run.random, pauses, signal, hooks });
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

/**
 * @param {import('../s3/retry.js').Operation} operation
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
