import { AttemptError } from '../s3/s3-error.js';
import { Keyspace, isPrefix } from '../workload/keyspace.js';
import { listPage } from './key-ranges.js';

/** @import { BucketAccess } from './bucket-access.js' */

/** So many pages are listed: enough for some dozens of prefixes, and quickly over. */
const MAX_REQUESTS = 60;

/** A prefix may have so many parts. */
const MAX_DEPTH = 2;

/** Comes right after `/` in the order of keys: what follows a folder follows its name with this at the end. */
const AFTER_SLASH = '0';

/**
 * Looks for a run under other prefixes than the one that was given: in each folder of each bucket, and in the folders of
 * those, as far as a few requests go.
 *
 * @param {object} options
 * @param {BucketAccess} options.access
 * @param {string} options.runId
 * @param {readonly string[]} options.buckets
 * @returns {Promise<string | null>} the prefix under which objects bear names of the run
 */
export async function findPrefix({ access, runId, buckets }) {
  let requests = 0;
  const counted = {
    ...access,
    retry: (/** @type {() => Promise<any>} */ request) => {
      requests += 1;
      if (requests > MAX_REQUESTS) {
        throw new AttemptError({ kind: 'abandoned', handling: 'fail', message: 'that would take too many requests' });
      }
      return access.retry(request);
    },
  };
  /** @type {{ bucket: string, parent: string, depth: number }[]} */
  const parents = buckets.map((bucket) => ({ bucket, parent: '', depth: 1 }));
  try {
    for (const { bucket, parent, depth } of parents) {
      for await (const folder of foldersIn(bucket, parent, counted)) {
        const prefix = folder.slice(0, -1);
        if (isPrefix(prefix) && (await holdsRun(bucket, { runId, prefix, buckets }, counted))) {
          return prefix;
        }
        if (depth < MAX_DEPTH) {
          parents.push({ bucket, parent: folder, depth: depth + 1 });
        }
      }
    }
  } catch (error) {
    // Credentials may permit no more than to list the run's own prefix: then nothing is known of others.
    if (!(error instanceof AttemptError)) {
      throw error;
    }
  }
  return null;
}

/**
 * @param {string} bucket
 * @param {string} parent
 * @param {BucketAccess} access
 * @returns {AsyncGenerator<string>} what the keys under the parent begin with, up to their next `/`
 */
async function* foldersIn(bucket, parent, access) {
  let position = parent;
  let latest = '';
  for (;;) {
    const { objects, isLast } = await listPage(access, bucket, parent, position);
    for (const { key } of objects) {
      const end = key.indexOf('/', parent.length);
      const folder = key.slice(0, end + 1);
      if (end >= 0 && folder !== latest) {
        latest = folder;
        yield folder;
      }
    }
    if (isLast) {
      return;
    }
    const { key } = objects[objects.length - 1];
    position = key.startsWith(latest) && latest !== '' ? latest.slice(0, -1) + AFTER_SLASH : key;
  }
}

/**
 * @param {string} bucket
 * @param {{ runId: string, prefix: string, buckets: readonly string[] }} layout
 * @param {BucketAccess} access
 */
async function holdsRun(bucket, layout, access) {
  const keyspace = new Keyspace(layout);
  const { objects } = await listPage(access, bucket, keyspace.keyPrefix, '');
  return objects.some(({ key }) => keyspace.recogniseName(key) !== null);
}
