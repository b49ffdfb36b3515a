import { asAttemptError } from '../s3/s3-error.js';
import { inParallel } from '../cleanup/in-parallel.js';

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
