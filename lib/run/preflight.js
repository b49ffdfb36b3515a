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
  /**
   * What was said, and of which buckets: it is told once for all of them.
   *
   * @type {Map<string, { error: AttemptError, buckets: string[] }>}
   */
  const findings = new Map();
  for (const bucket of store.buckets) {
    const error = signal.aborted ? null : await askFor(bucket, engine, signal);
    if (error !== null) {
      const said = `${error.kind} ${error.message}`;
      const finding = findings.get(said) ?? { error, buckets: [] };
      finding.buckets.push(bucket);
      findings.set(said, finding);
    }
  }
  const { hostname, port } = store;
  return [...findings.values()].map(({ error, buckets }) =>
    explainError(error, { hostname, port, buckets, action: 'read', now: engine.clock.epochNow() }),
  );
}

/**
 * @param {string} bucket
 * @param {import('../engine/run-stage.js').Engine} engine
 * @param {AbortSignal} signal
 * @returns {Promise<AttemptError | null>} null also where the signal put an end to the question
 */
async function askFor(bucket, { clock, random, workload, connections }, signal) {
  const [connection] = connections;
  const key = workload.keyspace.keyPrefix + ABSENT_OBJECT;
  const pauses = new Pauses();
  const retrier = new Retrier({
    mostAttempts: MOST_ATTEMPTS,
    now: clock.now,
    random,
    pauses,
    signal,
    hooks: { attemptFailed() {}, retrying() {} },
  });
  // Nothing is written yet that would have to settle.
  const giveUp = () => {
    pauses.endAll();
    if (connection.startedAt !== 0) {
      connection.abort(new AttemptError({ kind: 'abandoned', verdict: 'retry', message: 'the run was stopped' }));
    }
  };
  signal.addEventListener('abort', giveUp);
  try {
    await retrier.call(() => connection.get(bucket, key, { accept() {} }), connection);
    return null;
  } catch (error) {
    if (!(error instanceof AttemptError)) {
      throw error;
    }
    return signal.aborted || error.kind === NOT_FOUND ? null : error;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}
