import { asAttemptError } from '../s3/s3-error.js';
import { inParallel } from '../cleanup/bucket-access.js';

/**
 * @import { BucketAccess } from '../cleanup/bucket-access.js'
 * @import { AttemptError } from '../s3/s3-error.js'
 */

/** Status codes of a store that does not support a request. */
export const NOT_IMPLEMENTED = new Set([405, 501]);

/**
 * Buckets that keep old versions of overwritten or deleted objects. They include buckets with suspended versioning,
 * where earlier versions remain and a deletion still leaves a delete marker.
 *
 * @typedef {object} Versioning
 * @property {Set<string>} versioned
 * @property {Map<string, AttemptError>} unknown buckets whose versioning is unknown, with their errors
 */

/** Returns one line per bucket. @param {Versioning['unknown']} unknown */
export function describeUnknown(unknown) {
  return [...unknown].map(
    ([bucket, { message }]) =>
      `It is unknown whether bucket "${bucket}" keeps versions of removed objects (${message})`,
  );
}

/**
 * @param {readonly string[]} buckets
 * @param {BucketAccess} access
 */
export async function requestVersioning(buckets, { admin, retry }) {
  /** @type {Versioning} */
  const versioning = { versioned: new Set(), unknown: new Map() };
  await inParallel(buckets, async (bucket) => {
    try {
      if ((await retry(() => admin.versioningOf(bucket))) !== null) {
        versioning.versioned.add(bucket);
      }
    } catch (error) {
      const failure = asAttemptError(error);
      if (!NOT_IMPLEMENTED.has(failure.status)) {
        versioning.unknown.set(bucket, failure);
      }
    }
  });
  return versioning;
}

/**
 * @param {Iterable<string>} buckets that keep versions: object lock requires that
 * @param {BucketAccess} access
 * @returns {Promise<Map<string, string>>} for each bucket whose new objects cannot be removed for some time, how long
 */
export async function requestRetention(buckets, { admin, retry }) {
  /** @type {Map<string, string>} */
  const retained = new Map();
  await inParallel([...buckets], async (bucket) => {
    try {
      const retention = await retry(() => admin.retentionOf(bucket));
      if (retention !== null) {
        retained.set(bucket, retention);
      }
    } catch (error) {
      // Without a lock, S3 answers with an error. Without permission to ask, it is the removal of the probe that fails.
      asAttemptError(error);
    }
  });
  return retained;
}
