import { Pauses } from '../s3/pauses.js';
import { Retrier } from '../s3/retry.js';
import { AttemptError } from '../s3/s3-error.js';

/** No run writes an object of this name, and the answer to a GET carries an error code, which that to a HEAD does not. */
const ABSENT_OBJECT = 'preflight';

/**
 * Asks the store for an object that does not exist: the cheapest question that it answers in full.
 *
 * @param {object} options
 * @param {Pick<import('./open-run.js').OpenRun, 'clock' | 'random' | 'keyspace'>} options.run
 * @param {import('../s3/object-store.js').ObjectConnection} options.connection
 * @param {string} options.bucket
 * @param {number} options.mostAttempts
 * @param {AbortSignal} options.signal gives the question up
 * @returns {Promise<{ error: AttemptError | null, attempts: number }>} what came back, null where the object does exist;
 *   and after how many attempts
 */
export async function askForAbsentObject({ run, connection, bucket, mostAttempts, signal }) {
  const { clock, random, keyspace } = run;
  const key = keyspace.keyPrefix + ABSENT_OBJECT;
  const pauses = new Pauses();
  let attempts = 0;
  const hooks = { attemptFailed() {}, retrying() {} };
  const retrier = new Retrier({ mostAttempts, now: clock.now, random, pauses, signal, hooks });
  // Nothing is written that would have to settle.
  const giveUp = () => {
    pauses.endAll();
    if (connection.startedAt !== 0) {
      connection.abort(new AttemptError({ kind: 'abandoned', verdict: 'retry', message: 'the run was stopped' }));
    }
  };
  signal.addEventListener('abort', giveUp);
  try {
    await retrier.call(() => {
      attempts += 1;
      return connection.get(bucket, key, { accept() {} });
    }, connection);
    return { error: null, attempts };
  } catch (error) {
    if (!(error instanceof AttemptError)) {
      throw error;
    }
    return { error, attempts };
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}
