import { setTimeout as wait } from 'node:timers/promises';
import { withBucketAccess } from './bucket-access.js';
import { cleanUp } from './cleanup.js';

/**
 * Removes the objects of a run by listing them.
 *
 * @param {object} options
 * @param {import('../workload/keyspace.js').Keyspace} options.keyspace
 * @param {import('../s3/object-store.js').StoreOptions} options.storeOptions
 * @param {import('../meter/clock.js').Clock} options.clock
 * @param {() => number} options.random uniform in [0, 1)
 * @param {number} options.timeout ms for a measured attempt
 * @param {(own: import('../workload/keyspace.js').OwnKey) => boolean} options.owns whether an object of the run is to be removed
 * @param {boolean} options.outcomeUnknown see cleanup.js
 * @param {import('./open-run.js').RequestCounts} options.requests where the requests are counted
 * @returns {Promise<import('./cleanup.js').CleanupResult>}
 */
export async function cleanUpRun({ keyspace, owns, outcomeUnknown, ...options }) {
  return withBucketAccess(options, (access) =>
    cleanUp({ ...access, keyspace, owns, outcomeUnknown, wait: (milliseconds) => wait(milliseconds) }),
  );
}
