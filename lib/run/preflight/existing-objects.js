import { inParallel } from '../cleanup/bucket-access.js';
import { pagesOf } from '../cleanup/lists.js';
import { operationsOf } from '../../load/operations/registry.js';
import { S3_CALLS } from '../../store/object-store.js';
import { retriedRequest } from '../../store/retry.js';
import { asAttemptError } from '../../store/s3-error.js';
import { formatSize } from '../../text/units.js';
import { globalIndex, isOfShard, localIndex } from '../../load/workload/shard.js';
import { objectSizes, sizeText } from '../../load/workload/size-distribution.js';
import { sendControlRequest } from './control-request.js';

/**
 * @import { BucketAccess } from '../cleanup/bucket-access.js'
 * @import { Config, ObjectsConfig, SizeDistribution } from '../../result/config.js'
 * @import { ListPosition } from '../../store/bucket-admin.js'
 * @import { AttemptError } from '../../store/s3-error.js'
 * @import { Keyspace } from '../../load/workload/keyspace.js'
 * @import { RunContext } from './run-context.js'
 */

/**
 * Pages to list in all buckets together, but at least one in each: enough to find the objects of a kept run, and few
 * enough to be quick.
 */
const MAX_PAGES = 10;

/**
 * @typedef {object} ExistingObjects objects of a shard that exist before its run starts
 * @property {number} count of objects and probes found
 * @property {boolean} isWhole whether all pages were read; otherwise there may be more
 * @property {{ count: number, size: number, sizes?: SizeDistribution } | null} readable settings for a run that reads
 *   the objects: how many of the shard's first objects to read, and their common size or size distribution; null if
 *   there are only probes, if objects are missing, or if their sizes do not match the run's
 * @property {Map<string, AttemptError>} unlisted buckets that could not be listed, with their errors
 */

/**
 * Looks for objects that a run would overwrite or remove: those of its shard, under its run ID. Objects of other shards
 * are ignored, because those shards may be writing right now.
 *
 * @param {Keyspace} keyspace
 * @param {Pick<ObjectsConfig, 'runId' | 'shard' | 'size' | 'sizes'>} objects of the run
 * @param {BucketAccess} access
 * @returns {Promise<ExistingObjects>}
 */
export async function findExistingObjects(keyspace, objects, access) {
  const { shard } = objects;
  const { buckets } = keyspace;
  const maxPages = Math.max(Math.floor(MAX_PAGES / buckets.length), 1);
  let count = 0;
  let isWhole = true;
  /** @type {Map<number, number>} */
  const sizes = new Map();
  /** @type {Map<string, AttemptError>} */
  const unlisted = new Map();
  await inParallel(buckets, async (bucket) => {
    const request = (/** @type {ListPosition} */ from) =>
      access.retry(() => access.admin.listPage(bucket, keyspace.keyPrefix, from));
    try {
      let pages = 0;
      for await (const { objects: listed, next } of pagesOf(bucket, request)) {
        for (const { key, size } of listed) {
          const own = keyspace.recognise(bucket, key);
          if (own !== null && isOfShard(shard, own.index)) {
            count += 1;
            if (!own.isProbe && !own.isCopy && Number.isSafeInteger(size)) {
              sizes.set(localIndex(shard, own.index), size);
            }
          }
        }
        pages += 1;
        if (next !== null && pages === maxPages) {
          isWhole = false;
          break;
        }
      }
    } catch (error) {
      unlisted.set(bucket, asAttemptError(error));
    }
  });
  return { count, isWhole, readable: readableOf(sizes, objects, isWhole && unlisted.size === 0), unlisted };
}

/**
 * @param {ReadonlyMap<number, number>} sizes by local index
 * @param {Pick<ObjectsConfig, 'runId' | 'shard' | 'size' | 'sizes'>} objects of the run
 * @param {boolean} areAll whether `sizes` has all existing objects
 * @returns {ExistingObjects['readable']}
 */
function readableOf(sizes, objects, areAll) {
  const indices = [...sizes.keys()].sort((one, other) => one - other);
  const [first] = indices;
  const size = sizes.get(first);
  if (size === undefined) {
    return null;
  }
  const count = indices[indices.length - 1] + 1;
  const sizeOf = objects.sizes === undefined ? () => size : objectSizes(objects);
  const areAlike = indices.every((index) => sizes.get(index) === sizeOf(globalIndex(objects.shard, index)));
  if (!areAlike || (areAll && indices.length < count)) {
    return null;
  }
  return objects.sizes === undefined ? { count, size } : { count, size: objects.size, sizes: objects.sizes };
}

/** More than one, because the earlier run may have failed to write some, and a single object could be damaged. */
const SAMPLE = 3;

const MAX_ATTEMPTS = 2;

const NOWHERE = { accept() {} };

/**
 * Compares the sizes of kept objects with `--size`: if they differ, the stages would report all objects as corrupted.
 *
 * @param {RunContext} run
 * @param {Config} config
 * @param {AbortSignal} signal aborts the work
 * @returns {Promise<string | null>} the problem in one line; null if there is none, or the store reports no sizes
 */
export async function keptSizeProblem(run, config, signal) {
  const { objects, load } = config;
  const { count, runId, shard } = objects;
  if (run.wroteObjects || run.listed || operationsOf(load.stages).every(({ effect }) => effect !== 'reads')) {
    return null;
  }
  const expected = objectSizes(objects);
  /** @type {Set<number>} */
  const others = new Set();
  const indices = Array.from({ length: Math.min(count, SAMPLE) }, (_, local) => globalIndex(shard, local));
  for (const index of signal.aborted ? [] : indices) {
    const found = await headSize(run, index, signal);
    if (found === expected(index)) {
      return null;
    }
    if (Number.isSafeInteger(found) && found >= 0) {
      others.add(found);
    }
  }
  const shown = [...others].map(formatSize).join(' or ');
  return others.size === 0
    ? null
    : `--size: the first objects of run ${runId} are ${shown}, not ${sizeText(objects)}; expected the --size of that run`;
}

/**
 * @param {RunContext} run
 * @param {number} index of an object
 * @param {AbortSignal} signal
 * @returns {Promise<number>} bytes; -1 if unknown
 */
async function headSize(run, index, signal) {
  const { controlConnections, keyspace, requests } = run;
  const [connection] = controlConnections;
  const object = { bucket: keyspace.bucketOf(index), key: keyspace.keyOf(index), size: 0, body: null, sink: NOWHERE };
  const request = retriedRequest(() => connection.send(S3_CALLS.HeadObject, object), connection);
  const { error, attempts } = await sendControlRequest({ run, maxAttempts: MAX_ATTEMPTS, signal }, request);
  requests.preflight += attempts;
  return error === null ? connection.reply.contentLength : -1;
}
