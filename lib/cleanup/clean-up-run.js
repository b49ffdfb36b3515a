import { setTimeout as wait } from 'node:timers/promises';
import { withBucketAccess } from './bucket-access.js';
import { cleanUp, newResult } from './cleanup.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { CleanupResult, RequestCounts } from '../model/result.js'
 * @import { CleanupProgress } from '../model/run-events.js'
 * @import { StoreOptions } from '../s3/object-store.js'
 * @import { Keyspace, OwnKey } from '../workload/keyspace.js'
 * @import { Reconciliation } from './reconciliation.js'
 */

/**
 * Lists and removes the objects of a run. CleanupOptions describes the options that have no description here.
 *
 * @param {object} options
 * @param {Keyspace} options.keyspace
 * @param {StoreOptions} options.storeOptions
 * @param {Clock} options.clock
 * @param {() => number} options.random
 * @param {number} options.timeout the value of `--timeout` in ms
 * @param {(own: OwnKey) => boolean} options.owns
 * @param {Reconciliation | null} options.reconciliation
 * @param {boolean} options.outcomeUnknown
 * @param {((own: OwnKey) => boolean) | null} [options.ownsUpload]
 * @param {boolean} [options.areUploadsAll]
 * @param {ReadonlySet<string>} options.versioned
 * @param {RequestCounts} options.requests counters to update
 * @param {(progress: CleanupProgress) => void} options.onProgress called periodically
 * @returns {Promise<CleanupResult>}
 */
export async function cleanUpRun({ keyspace, owns, reconciliation, versioned, onProgress, ...options }) {
  const { outcomeUnknown, ownsUpload, areUploadsAll } = options;
  const result = newResult();
  const expected = reconciliation?.expected ?? null;
  const onCheck = (/** @type {number} */ silence) => onProgress({ removed: result.removed, expected, silence });
  return withBucketAccess({ ...options, onCheck }, (access) =>
    cleanUp(
      {
        ...access,
        keyspace,
        owns,
        reconciliation,
        outcomeUnknown,
        ownsUpload,
        areUploadsAll,
        versioned,
        wait: (milliseconds) => wait(milliseconds),
      },
      result,
    ),
  );
}
