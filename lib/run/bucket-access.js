import { Pauses } from '../s3/pauses.js';
import { Retrier } from '../s3/retry.js';

/** Clean-up is worth some patience, and still has to end. */
const MOST_ATTEMPTS = 6;

/** However little a measured attempt is given: listing a thousand keys takes its time. */
const LEAST_TIMEOUT_MS = 10_000;

/**
 * The means to list and delete.
 *
 * @typedef {object} BucketAccess
 * @property {import('../s3/bucket-admin.js').BucketAdmin} admin
 * @property {<Result>(request: () => Promise<Result>) => Promise<Result>} retry
 */

/**
 * @template Result
 * @param {object} options
 * @param {import('../s3/object-store.js').StoreOptions} options.storeOptions
 * @param {import('../meter/clock.js').Clock} options.clock
 * @param {() => number} options.random uniform in [0, 1)
 * @param {number} options.timeout ms for a measured attempt
 * @param {import('./open-run.js').RequestCounts} options.requests where the requests are counted
 * @param {(access: BucketAccess) => Promise<Result>} work
 * @returns {Promise<Result>}
 */
export async function withBucketAccess({ storeOptions, clock, random, timeout, requests }, work) {
  // The SDK takes its time to load, and most runs have nothing to clean up.
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
    return await work({ admin, retry: (request) => retrier.call(request, { startedAt: 0, idleSince: 0 }) });
  } finally {
    requests.cleanup += admin.requests;
    admin.close();
  }
}
