import { AttemptError } from '../s3/s3-error.js';
import { inParallel } from '../cleanup/in-parallel.js';

/** @import { BucketAccess } from '../cleanup/bucket-access.js' */

const BUCKETS_AT_ONCE = 8;

/** What a store answers that has no such request. */
export const NOT_IMPLEMENTED = new Set([405, 501]);

/**
 * Which buckets keep a version of what is written over or deleted. Where versioning is suspended, a deletion still leaves a
 * delete marker, and earlier versions are there as before.
 *
 * @typedef {object} Versioning
 * @property {Set<string>} versioned
 * @property {Map<string, AttemptError>} unknown buckets that do not answer it, and their errors
 */

/**
 * @param {Versioning['unknown']} unknown
 * @returns {string[]} a line for each
 */
export function describeUnknown(unknown) {
  return [...unknown].map(
    ([bucket, { message }]) => `Whether bucket "${bucket}" keeps versions of what is removed is not known (${message})`,
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
