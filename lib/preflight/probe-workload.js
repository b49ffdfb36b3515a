import { PREFLIGHT_PROBES } from '../workload/shard.js';
import { objectSizes } from '../workload/sizes.js';
import { WrittenObjects, memoryFor } from '../workload/written-objects.js';

/**
 * @import { Workload } from '../operations/operation.js'
 * @import { RunContext } from './run-context.js'
 * @import { ObjectsConfig, Shard } from '../model/config.js'
 */

/** Maximum probes for the unloaded latency. Their indices follow those of preflight. */
export const MAX_LATENCY_PROBES = 25;

/**
 * A workload of probes: operations process them like the objects of a stage.
 *
 * @param {Pick<RunContext, 'keyspace' | 'payload' | 'checksums' | 'amounts'>} run
 * @param {Shard} shard
 * @param {(index: number) => number} sizeOf bytes of a probe
 * @returns {Workload}
 */
export function probeWorkload({ keyspace, payload, checksums, amounts }, shard, sizeOf) {
  const written = new WrittenObjects(memoryFor(PREFLIGHT_PROBES + MAX_LATENCY_PROBES));
  return { keyspace: keyspace.probes, payload, checksums, sizeOf, written, shard, amounts, wroteObjects: true };
}

/**
 * A workload of the probes' copies, for removing them.
 *
 * @param {Workload} probes
 * @param {Pick<RunContext, 'keyspace'>} run
 * @returns {Workload}
 */
export function probeCopyWorkload(probes, { keyspace }) {
  const written = new WrittenObjects(memoryFor(PREFLIGHT_PROBES + MAX_LATENCY_PROBES));
  return { ...probes, keyspace: keyspace.probeCopies, written };
}

/**
 * A workload of objects that an earlier run wrote, or that were listed.
 *
 * @param {Pick<RunContext, 'keyspace' | 'payload' | 'written' | 'listed' | 'amounts'>} run
 * @param {Pick<ObjectsConfig, 'runId' | 'shard' | 'size' | 'sizes'>} objects of the run
 * @returns {Workload}
 */
export function keptWorkload({ keyspace, payload, written, listed, amounts }, objects) {
  const kept = { payload, written, shard: objects.shard, amounts, listed, wroteObjects: false };
  return !listed
    ? { ...kept, keyspace, sizeOf: objectSizes(objects) }
    : { ...kept, keyspace: listed, sizeOf: listed.sizeOf };
}
