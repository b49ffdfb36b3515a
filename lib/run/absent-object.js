import { askStore } from './ask-store.js';

/** No run writes an object of this name, and the answer to a GET carries an error code, which that to a HEAD does not. */
const ABSENT_OBJECT = 'preflight';

/**
 * Asks the store for an object that does not exist: the cheapest question that it answers in full.
 *
 * @param {object} options
 * @param {Pick<import('./open-run.js').OpenRun, 'clock' | 'random' | 'waitBudget' | 'keyspace'>} options.run
 * @param {import('../s3/object-store.js').ObjectConnection} options.connection
 * @param {string} options.bucket
 * @param {number} options.mostAttempts
 * @param {AbortSignal} options.signal gives the question up
 * @returns {Promise<import('./ask-store.js').Answer>} its error is null where the object does exist
 */
export async function askForAbsentObject({ bucket, ...asking }) {
  const key = asking.run.keyspace.keyPrefix + ABSENT_OBJECT;
  return askStore(asking, () => asking.connection.get(bucket, key, { accept() {} }));
}
