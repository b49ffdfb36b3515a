import { setTimeout as wait } from 'node:timers/promises';
import { withBucketAccess } from './bucket-access.js';
import { cleanUp, newResult } from './cleanup.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { CleanupResult, RequestCounts } from '../model/result.js'
 * @import { CleanupProgress } from '../model/run-events.js'
 * @import { StoreOptions } from '../s3/object-store.js'
 * @import { Keyspace, OwnKey } from '../workload/keyspace.js'
 * @import { UnlistedObjects } from '../workload/unlisted-objects.js'
 */

/**
 * Removes the objects of a run by listing them.
 *
 * @param {object} options
 * @param {Keyspace} options.keyspace
 * @param {StoreOptions} options.storeOptions
 * @param {Clock} options.clock
 * @param {() => number} options.random uniform in [0, 1)
 * @param {number} options.timeout ms for a measured attempt
 * @param {(own: OwnKey) => boolean} options.owns whether to remove an object of the run
 * @param {UnlistedObjects | null} options.unlisted see cleanup.js
 * @param {boolean} options.outcomeUnknown see cleanup.js
 * @param {number} [options.lateWrites] see cleanup.js
 * @param {((own: OwnKey) => boolean) | null} [options.ownsUpload] see cleanup.js
 * @param {boolean} [options.areUploadsAll] see cleanup.js
 * @param {ReadonlySet<string>} options.versioned buckets that keep versions
 * @param {RequestCounts} options.requests counters to update
 * @param {(progress: CleanupProgress) => void} options.onProgress called periodically
 * @returns {Promise<CleanupResult>}
 */
export async function cleanUpRun({ keyspace, owns, unlisted, versioned, onProgress, ...options }) {
  const { outcomeUnknown, lateWrites, ownsUpload, areUploadsAll } = options;
  const result = newResult();
  const expected = unlisted?.count ?? null;
  const onLook = (/** @type {number} */ silence) => onProgress({ removed: result.removed, expected, silence });
  return withBucketAccess({ ...options, onLook }, (access) =>
    cleanUp(
      {
        ...access,
        keyspace,
        owns,
        unlisted,
        outcomeUnknown,
        lateWrites,
        ownsUpload,
        areUploadsAll,
        versioned,
        random: options.random,
        wait: (milliseconds) => wait(milliseconds),
      },
      result,
    ),
  );
}
