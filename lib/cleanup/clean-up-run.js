import { setTimeout as wait } from 'node:timers/promises';
import { withBucketAccess } from './bucket-access.js';
import { cleanUp, newResult } from './cleanup.js';

/**
 * @import { CleanupResult } from '../model/result.js'
 * @import { CleanupProgress } from '../model/run-events.js'
 * @import { BucketAccess } from './bucket-access.js'
 * @import { CleanupOptions } from './cleanup.js'
 *
 * @typedef {Omit<Parameters<typeof withBucketAccess>[0], 'onCheck'>} AccessOptions
 */

/**
 * Lists and removes the objects of a run.
 *
 * @param {AccessOptions & Omit<CleanupOptions, keyof BucketAccess | 'wait'> & {
 *   onProgress: (progress: CleanupProgress) => void }} options `onProgress` is called periodically
 * @returns {Promise<CleanupResult>}
 */
export async function cleanUpRun({ onProgress, ...options }) {
  const result = newResult();
  const expected = options.reconciliation?.expected ?? null;
  const onCheck = (/** @type {number} */ silence) => onProgress({ removed: result.removed, expected, silence });
  return withBucketAccess({ ...options, onCheck }, (access) =>
    cleanUp({ ...options, ...access, wait: (milliseconds) => wait(milliseconds) }, result),
  );
}
