import { PREFLIGHT_PROBES } from '../workload/shard.js';
import { objectSizes } from '../workload/sizes.js';
import { WrittenObjects, memoryFor } from '../workload/written-objects.js';

/**
 * @import { Workload } from '../operations/operation.js'
 * @import { RunContext } from './run-context.js'
 * @import { ObjectsConfig, Shard } from '../model/config.js'
 */

/** Maximum probes for the unloaded latency. Their indices follow those of the preflight probes. */
export const MAX_LATENCY_PROBES = 25;

/**
 * @param {Pick<RunContext, 'keyspace' | 'payload' | 'checksums' | 'amounts'>} run
 * @param {Shard} shard
 * @param {(index: number) => number} sizeOf bytes of a probe
 * @returns {Workload} probes, which operations process like the objects of a stage
 */
export function probeWorkload({ keyspace, payload, checksums, amounts }, shard, sizeOf) {
  const written = new WrittenObjects(memoryFor(PREFLIGHT_PROBES + MAX_LATENCY_PROBES));
  return { keyspace: keyspace.probes, payload, checksums, sizeOf, written, shard, amounts, wroteObjects: true };
}

/**
 * @param {Workload} probes
 * @param {Pick<RunContext, 'keyspace'>} run
 * @returns {Workload} the copies of the probes, so that they can be removed
 */
export function probeCopyWorkload(probes, { keyspace }) {
  const written = new WrittenObjects(memoryFor(PREFLIGHT_PROBES + MAX_LATENCY_PROBES));
  return { ...probes, keyspace: keyspace.probeCopies, written };
}

/**
 * @param {Pick<RunContext, 'keyspace' | 'payload' | 'written' | 'listed' | 'amounts'>} run
 * @param {Pick<ObjectsConfig, 'runId' | 'shard' | 'size' | 'sizes'>} objects of the run
 * @returns {Workload} objects that an earlier run wrote, or that were listed
 */
export function keptWorkload({ keyspace, payload, written, listed, amounts }, objects) {
  const kept = { payload, written, shard: objects.shard, amounts, listed, wroteObjects: false };
  return !listed
    ? { ...kept, keyspace, sizeOf: objectSizes(objects) }
    : { ...kept, keyspace: listed, sizeOf: listed.sizeOf };
}
