import { setTimeout as wait } from 'node:timers/promises';
import { Pauses } from '../s3/pauses.js';
import { Retrier } from '../s3/retry.js';
import { cleanUp } from './cleanup.js';

/** Clean-up is worth some patience, and still has to end. */
const MOST_ATTEMPTS = 6;

/** However little a measured attempt is given: listing a thousand keys takes its time. */
const LEAST_TIMEOUT_MS = 10_000;

/**
 * Removes the objects of a run by listing them.
 *
 * @param {object} options
 * @param {import('../workload/keyspace.js').Keyspace} options.keyspace
 * @param {import('../s3/object-store.js').StoreOptions} options.storeOptions
 * @param {import('../meter/clock.js').Clock} options.clock
 * @param {() => number} options.random uniform in [0, 1)
 * @param {number} options.timeout ms for a measured attempt
 * @param {(index: number) => boolean} options.owns whether an object of the run is to be removed
 * @param {boolean} options.outcomeUnknown see cleanup.js
 * @param {import('./open-run.js').RequestCounts} options.requests where the requests are counted
 * @returns {Promise<import('./cleanup.js').CleanupResult>}
 */
export async function cleanUpRun({ keyspace, storeOptions, clock, random, timeout, owns, outcomeUnknown, requests }) {
  // The SDK takes its time to load, and most runs have nothing left to clean up.
  const { BucketAdmin } = await import('../s3/bucket-admin.js');
  const admin = new BucketAdmin(storeOptions, Math.max(timeout, LEAST_TIMEOUT_MS));
  const retrier = new Retrier({
    mostAttempts: MOST_ATTEMPTS,
    now: clock.now,
    random,
    pauses: new Pauses(),
    signal: new AbortController().signal,
    hooks: { attemptFailed() {}, retrying() {} },
  });
  try {
    return await cleanUp({
      admin,
      keyspace,
      owns,
      retry: (request) => retrier.call(request, { startedAt: 0, idleSince: 0 }),
      outcomeUnknown,
      wait: (milliseconds) => wait(milliseconds),
    });
  } finally {
    requests.cleanup += admin.requests;
    admin.close();
  }
}
