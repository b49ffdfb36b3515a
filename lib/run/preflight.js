import { NOT_FOUND } from '../s3/s3-error.js';
import { askForAbsentObject } from './absent-object.js';
import { explainError } from './explain-error.js';

/** Enough to get over a hiccup, and soon over where there is nobody to answer. */
const MOST_ATTEMPTS = 4;

/**
 * Asks each bucket for an object that does not exist: the answer shows whether name, TLS, signature, clock and bucket
 * are all right, before anything is written.
 *
 * @param {import('./open-run.js').OpenRun} run
 * @param {import('./run-config.js').StoreConfig} store
 * @param {AbortSignal} signal
 * @returns {Promise<string[]>} a line for each problem; none where the run may begin
 */
export async function preflight(run, store, signal) {
  /**
   * What was said, and of which buckets: it is told once for all of them.
   *
   * @type {Map<string, { error: import('../s3/s3-error.js').AttemptError, buckets: string[] }>}
   */
  const findings = new Map();
  const [connection] = run.attendants;
  for (const bucket of store.buckets) {
    const { error, attempts } = await askForAbsentObject({
      run,
      connection,
      bucket,
      mostAttempts: MOST_ATTEMPTS,
      signal,
    });
    run.requests.preflight += attempts;
    if (signal.aborted) {
      return [];
    }
    if (error !== null && error.kind !== NOT_FOUND) {
      const said = `${error.kind} ${error.message}`;
      const finding = findings.get(said) ?? { error, buckets: [] };
      finding.buckets.push(bucket);
      findings.set(said, finding);
    }
  }
  const { hostname, port } = store;
  return [...findings.values()].map(({ error, buckets }) =>
    explainError(error, { hostname, port, buckets, action: 'read', now: run.clock.epochNow() }),
  );
}
