import { formatSize } from '../log/units.js';
import { globalIndex } from '../workload/shard.js';
import { askStore } from './ask-store.js';

/**
 * @import { OpenRun } from '../run/open-run.js'
 * @import { RunConfig } from '../run/run-config.js'
 */

/** The first objects, of which some may never have been written. */
const MAX_ASKED = 5;

/** A single object could have been damaged. */
const SAMPLE = 2;

const MAX_ATTEMPTS = 2;

/**
 * Compares the size of what an earlier run has kept with the size that this run was given: with another one, each object
 * would be told as corrupted.
 *
 * @param {OpenRun} run
 * @param {RunConfig} config
 * @param {AbortSignal} signal gives up
 * @returns {Promise<string | null>} what is wrong, one line; null where nothing is, or the store does not tell
 */
export async function keptSizeProblem(run, config, signal) {
  const { objects, size, runId, stages } = config;
  if (run.wroteObjects || !(stages.includes('read') || stages.includes('stat'))) {
    return null;
  }
  /** @type {number[]} */
  const sizes = [];
  for (let local = 0; local < Math.min(objects, MAX_ASKED) && sizes.length < SAMPLE && !signal.aborted; local++) {
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
 * @param {OpenRun} run
 * @param {number} index of an object
 * @param {AbortSignal} signal
 * @returns {Promise<number>} bytes; -1 where the store does not tell, for what reason ever
 */
async function sizeOf(run, index, signal) {
  const { attendants, keyspace, requests } = run;
  const [connection] = attendants;
  const { error, attempts } = await askStore({ run, connection, mostAttempts: MAX_ATTEMPTS, signal }, () =>
    connection.head(keyspace.bucketOf(index), keyspace.keyOf(index)),
  );
  requests.preflight += attempts;
  return error === null ? connection.reply.contentLength : -1;
}
