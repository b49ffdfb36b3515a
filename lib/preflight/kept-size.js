import { S3_CALLS } from '../s3/object-store.js';
import { formatSize } from '../text/units.js';
import { sizeText } from '../workload/size-distribution.js';
import { objectSizes } from '../workload/size-distribution.js';
import { globalIndex } from '../workload/shard.js';
import { operationsOf } from '../operations/registry.js';
import { retriedRequest } from '../s3/retry.js';
import { sendControlRequest } from './control-request.js';

/**
 * @import { RunContext } from './run-context.js'
 * @import { Config } from '../model/config.js'
 */

/** More than SAMPLE, because the earlier run may have failed to write some of the first objects. */
const MAX_HEAD_REQUESTS = 5;

/** More than one, because a single object could be damaged. */
const SAMPLE = 2;

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
  const { count, size, sizes, runId, shard } = objects;
  if (run.wroteObjects || run.listed || operationsOf(load.stages).every(({ effect }) => effect !== 'reads')) {
    return null;
  }
  const expected = objectSizes(objects);
  /** @type {number[]} */
  const others = [];
  for (
    let local = 0;
    local < Math.min(count, MAX_HEAD_REQUESTS) && others.length < SAMPLE && !signal.aborted;
    local++
  ) {
    const index = globalIndex(shard, local);
    const found = await sizeOf(run, index, signal);
    if (found === expected(index)) {
      return null;
    }
    if (Number.isSafeInteger(found) && found >= 0) {
      others.push(found);
    }
  }
  const [found, ...further] = others;
  if (found === undefined) {
    return null;
  }
  if (sizes === undefined && further.every((other) => other === found)) {
    return `--size: the objects of run ${runId} are ${formatSize(found)} each, not ${formatSize(size)}; expected --size ${formatSize(found)}`;
  }
  const shown = others.map(formatSize).join(' and ');
  return `--size: the first objects of run ${runId} are ${shown}, which does not match ${sizeText(objects)}; expected the same --size as when the run was written`;
}

/**
 * @param {RunContext} run
 * @param {number} index of an object
 * @param {AbortSignal} signal
 * @returns {Promise<number>} bytes; -1 if unknown
 */
async function sizeOf(run, index, signal) {
  const { controlConnections, keyspace, requests } = run;
  const [connection] = controlConnections;
  const object = { bucket: keyspace.bucketOf(index), key: keyspace.keyOf(index), size: 0, body: null, sink: NOWHERE };
  const request = retriedRequest(() => connection.send(S3_CALLS.HeadObject, object), connection);
  const { error, attempts } = await sendControlRequest({ run, maxAttempts: MAX_ATTEMPTS, signal }, request);
  requests.preflight += attempts;
  return error === null ? connection.reply.contentLength : -1;
}
