/**
 * @import { MemoryTrend } from './memory-samples.js'
 * @import { PartResult } from './part.js'
 */

const METHODS = /** @type {Record<string, string>} */ ({ Write: 'PUT', Read: 'GET', Stat: 'HEAD', Remove: 'DELETE' });

/** Maximum memory growth between the first and the last third of a part: the garbage collector's noise. */
const MAX_GROWTH_MIB = 30;

/** By design, the log has at most this many lines about retries per second: the first few, and one for the rest. */
const MAX_RETRY_LINES_PER_SECOND = 4;

/** Kinds of failed attempts that the endpoint may not have seen, because it had closed the connection. */
const UNSEEN_KINDS = ['connection', 'stale-connection'];

/**
 * @typedef {object} Check
 * @property {string} claim
 * @property {boolean} holds
 * @property {string} figures
 */

/**
 * @param {PartResult} part
 * @param {number} objects given to the part
 * @returns {Check[]}
 */
export function checkPart({ result, seen, status, stderr, log, memory }, objects) {
  const { stages } = result;
  return [
    {
      claim: 'the run completes',
      holds: status === 0,
      figures: `status ${status}${status === 0 ? '' : `: ${stderr.slice(0, 500)}`}`,
    },
    ...stages.map((/** @type {any} */ stage) => checkOperations(stage, objects)),
    ...stages.map((/** @type {any} */ stage) => checkSuccesses(stage, seen, sum(Object.values(result.requests)))),
    checkAttempts(result, seen),
    checkMemory(memory),
    {
      claim: 'the log stays short',
      holds: log.retryLines <= MAX_RETRY_LINES_PER_SECOND * log.seconds,
      figures: `${log.bytes} bytes, ${log.retryLines} lines about retries in ${log.seconds} seconds`,
    },
    {
      claim: 'nothing is left',
      holds: leftIn(seen) === 0,
      figures: `${leftIn(seen)} objects and uploads by the count of the store`,
    },
  ];
}

/**
 * @param {{ objects: Record<string, number>, uploads: Record<string, number> }} report of the endpoint, by bucket
 * @returns {number} objects and uploads
 */
export function leftIn({ objects, uploads }) {
  return sum([...Object.values(objects), ...Object.values(uploads)]);
}

/**
 * @param {any} stage
 * @param {number} objects
 * @returns {Check}
 */
function checkOperations(
  { stage, operations, attempts, retries, failed, integrityErrors, skipped, abandoned, errors },
  objects,
) {
  const failures = sum(Object.values(errors));
  return {
    claim: `${stage}: every operation succeeds once, and every attempt is counted`,
    holds:
      operations === objects &&
      attempts === operations + failures &&
      retries === failures &&
      failed + integrityErrors + skipped + abandoned === 0,
    figures: `${operations} operations, ${attempts} attempts, ${describe(errors)}`,
  };
}

/**
 * A success whose response came too late counts only at the endpoint.
 *
 * @param {any} stage
 * @param {any} seen
 * @param {number} beside requests that belong to no stage
 * @returns {Check}
 */
function checkSuccesses({ stage, operations, attempts, errors }, seen, beside) {
  const { total, succeeded } = seen.requests[METHODS[stage]];
  const late = errors.timeout ?? 0;
  return {
    claim: `${stage}: the endpoint saw every success, and no uncounted request`,
    holds: succeeded >= operations && succeeded <= operations + late + beside && total <= attempts + beside,
    figures: `${total} requests, ${succeeded} answered with success`,
  };
}

/**
 * Every attempt that the run counted was seen by the endpoint, unless its connection was already closed.
 *
 * @param {any} result
 * @param {any} seen
 * @returns {Check}
 */
function checkAttempts({ stages, requests }, seen) {
  const sent = stages.map((/** @type {any} */ { attempts, unsent }) => attempts - unsent);
  const counted = sum(sent) + sum(Object.values(requests));
  const arrived = sum(Object.values(seen.requests).map(({ total }) => total));
  const broken = sum(stages.flatMap((/** @type {any} */ { errors }) => UNSEEN_KINDS.map((kind) => errors[kind] ?? 0)));
  const caused = (seen.faults.reset ?? 0) + (seen.faults.lost ?? 0);
  const unseen = counted - arrived;
  // Requests outside the stages also meet faults, but the result does not record their kinds.
  const margin = sum(Object.values(requests));
  return {
    claim: 'the endpoint saw every attempt that was sent, except those on connections that it had closed',
    holds: unseen >= 0 && Math.abs(unseen - (broken - caused)) <= margin,
    figures: `${counted} counted (${margin} outside the stages), ${arrived} seen, ${unseen} on closed connections; injected: ${describe(seen.faults)}`,
  };
}

/**
 * @param {MemoryTrend | null} memory
 * @returns {Check}
 */
function checkMemory(memory) {
  if (memory === null) {
    return { claim: 'memory stays flat', holds: true, figures: 'the run was too short to judge' };
  }
  const { peak, slope, growth } = memory;
  return {
    claim: 'memory stays flat',
    holds: growth <= MAX_GROWTH_MIB,
    figures: `peak ${peak.toFixed(0)} MiB, ${growth.toFixed(1)} MiB more in the last third than in the first, ${slope.toFixed(1)} MiB per minute`,
  };
}

/** @param {Record<string, number>} counts */
function describe(counts) {
  const parts = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}

/** @param {readonly unknown[]} values */
function sum(values) {
  return values.reduce((/** @type {number} */ total, value) => total + Number(value), 0);
}
