import { S3_CALLS } from '../s3/object-store.js';
import { formatSize } from '../log/units.js';
import { globalIndex } from '../workload/shard.js';
import { operationsOf } from '../operations/registry.js';
import { retriedRequest } from '../s3/retry.js';
import { sendControlRequest } from './control-request.js';

/**
 * @import { RunContext } from './run-context.js'
 * @import { RunConfig } from '../model/run-config.js'
 */

/** The first objects, of which some may never have been written. */
const MAX_HEAD_REQUESTS = 5;

/** A single object could have been damaged. */
const SAMPLE = 2;

const MAX_ATTEMPTS = 2;

/** The answer to a HEAD has no body. */
const NOWHERE = { accept() {} };

/**
 * Compares the size of what an earlier run has kept with the size that this run was given: with another one, each object
 * would be reported as corrupted.
 *
 * @param {RunContext} run
 * @param {RunConfig} config
 * @param {AbortSignal} signal gives up
 * @returns {Promise<string | null>} what is wrong, one line; null where nothing is, or the store does not say
 */
export async function keptSizeProblem(run, config, signal) {
  const { objects, size, runId, stages } = config;
  if (run.wroteObjects || run.listed || operationsOf(stages).every(({ effect }) => effect !== 'reads')) {
    return null;
  }
  /** @type {number[]} */
  const sizes = [];
  for (
    let local = 0;
    local < Math.min(objects, MAX_HEAD_REQUESTS) && sizes.length < SAMPLE && !signal.aborted;
    local++
  ) {
    const found = await sizeOf(run, globalIndex(config.shard, local), signal);
    if (found === size) {
      return null;
    }
    if (Number.isSafeInteger(found) && found >= 0) {
      sizes.push(found);
    }
  }
  const [found] = sizes;
  return found === undefined || sizes.some((other) => other !== found)
    ? null
    : `--size: the objects of run ${runId} have ${formatSize(found)} each, not ${formatSize(size)}; expected --size ${formatSize(found)}`;
}

/**
 * @param {RunContext} run
 * @param {number} index of an object
 * @param {AbortSignal} signal
 * @returns {Promise<number>} bytes; -1 where the store does not say, for whatever reason
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
