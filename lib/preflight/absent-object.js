import { askStore } from './ask-store.js';

/**
 * @import { ObjectConnection } from '../s3/object-store.js'
 * @import { Answer } from './ask-store.js'
 * @import { OpenRun } from '../run/open-run.js'
 */

/** No run writes an object of this name, and the answer to a GET carries an error code, which that to a HEAD does not. */
const ABSENT_OBJECT = 'preflight';

/**
 * Asks the store for an object that does not exist: the cheapest question that it answers in full.
 *
 * @param {object} options
 * @param {Pick<OpenRun, 'clock' | 'random' | 'waitBudget' | 'keyspace'>} options.run
 * @param {ObjectConnection} options.connection
 * @param {string} options.bucket
 * @param {number} options.mostAttempts
 * @param {AbortSignal} options.signal gives the question up
 * @returns {Promise<Answer>} its error is null where the object does exist
 */
export async function askForAbsentObject({ bucket, ...asking }) {
  const key = asking.run.keyspace.keyPrefix + ABSENT_OBJECT;
  return askStore(asking, () => asking.connection.get(bucket, key, { accept() {} }));
}
