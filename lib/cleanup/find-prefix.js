import { AttemptError } from '../s3/s3-error.js';
import { Keyspace, isPrefix } from '../workload/keyspace.js';
import { listPage } from './key-ranges.js';

/** @import { BucketAccess } from './bucket-access.js' */

/** Maximum number of pages to list: enough for dozens of prefixes, but quick. */
const MAX_REQUESTS = 60;

const MAX_DEPTH = 2;

/** Sorts right after `/`. If it replaces a folder's slash, the name sorts after everything in the folder. */
const AFTER_SLASH = '0';

/**
 * Looks for a run under prefixes other than the given one: in the folders of each bucket and in their subfolders,
 * within a limited number of requests.
 *
 * @param {object} options
 * @param {BucketAccess} options.access
 * @param {string} options.runId
 * @param {readonly string[]} options.buckets
 * @returns {Promise<string | null>} the prefix with objects of the run; null if none was found
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
    // The prefix cannot be found, for example if the credentials are limited to the run's own prefix.
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
 * @returns {AsyncGenerator<string>} subfolders of the parent, each with its trailing `/`
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
