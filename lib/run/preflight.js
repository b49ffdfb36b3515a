import { AttemptError, NOT_FOUND } from '../s3/s3-error.js';
import { Pauses } from '../s3/pauses.js';
import { Retrier } from '../s3/retry.js';
import { explainError } from './explain-error.js';

/** Enough to get over a hiccup, and soon over where there is nobody to answer. */
const MOST_ATTEMPTS = 4;

/** No run writes an object of this name, and the answer to a GET carries an error code, which that to a HEAD does not. */
const ABSENT_OBJECT = 'preflight';

/**
 * Asks each bucket for an object that does not exist: the answer shows whether name, TLS, signature, clock and bucket
 * are all right, before anything is written.
 *
 * @param {object} options
 * @param {import('../engine/run-stage.js').Engine} options.engine
 * @param {import('./run-config.js').StoreConfig} options.store
 * @param {AbortSignal} options.signal
 * @returns {Promise<string[]>} a line for each problem; none where the run may begin
 */
export async function preflight({ engine, store, signal }) {
  /** @type {Map<string, string>} */
  const problems = new Map();
  for (const bucket of store.buckets) {
    const error = await askFor(bucket, engine, signal);
    if (error !== null) {
      const { hostname, port } = store;
      const line = explainError(error, { hostname, port, bucket, action: 'read', now: engine.clock.epochNow() });
      problems.set(line, bucket);
    }
  }
  return [...problems.keys()];
}

/**
 * @param {string} bucket
 * @param {import('../engine/run-stage.js').Engine} engine
 * @param {AbortSignal} signal
 * @returns {Promise<AttemptError | null>}
 */
async function askFor(bucket, { clock, random, workload, connections }, signal) {
  const [connection] = connections;
  const key = workload.keyspace.keyPrefix + ABSENT_OBJECT;
  const retrier = new Retrier({
    mostAttempts: MOST_ATTEMPTS,
    now: clock.now,
    random,
    pauses: new Pauses(),
    signal,
    hooks: { attemptFailed() {}, retrying() {} },
  });
  try {
    await retrier.call(() => connection.get(bucket, key, { accept() {} }), connection);
    return null;
  } catch (error) {
    if (!(error instanceof AttemptError)) {
      throw error;
    }
    return error.kind === NOT_FOUND ? null : error;
  }
}
