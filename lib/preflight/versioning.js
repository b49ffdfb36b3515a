import { AttemptError } from '../s3/s3-error.js';
import { inParallel } from '../cleanup/in-parallel.js';

/** @import { BucketAccess } from '../cleanup/bucket-access.js' */

const BUCKETS_AT_ONCE = 8;

/** Status codes of a store that does not support a request. */
export const NOT_IMPLEMENTED = new Set([405, 501]);

/**
 * Which buckets keep old versions of overwritten or deleted objects. While versioning is suspended, a deletion still leaves
 * a delete marker, and earlier versions remain.
 *
 * @typedef {object} Versioning
 * @property {Set<string>} versioned
 * @property {Map<string, AttemptError>} unknown buckets whose versioning is unknown, with their errors
 */

/**
 * @param {Versioning['unknown']} unknown
 * @returns {string[]} one line each
 */
export function describeUnknown(unknown) {
  return [...unknown].map(
    ([bucket, { message }]) =>
      `It is unknown whether bucket "${bucket}" keeps versions of removed objects (${message})`,
  );
}

/**
 * @param {readonly string[]} buckets
 * @param {BucketAccess} access
 * @returns {Promise<Versioning>}
 */
export async function requestVersioning(buckets, { admin, retry }) {
  /** @type {Versioning} */
  const versioning = { versioned: new Set(), unknown: new Map() };
  await inParallel(buckets, BUCKETS_AT_ONCE, async (bucket) => {
    try {
      if ((await retry(() => admin.versioningOf(bucket))) !== null) {
        versioning.versioned.add(bucket);
      }
    } catch (error) {
      if (!(error instanceof AttemptError)) {
        throw error;
      }
      if (!NOT_IMPLEMENTED.has(error.status)) {
        versioning.unknown.set(bucket, error);
      }
    }
  });
  return versioning;
}
