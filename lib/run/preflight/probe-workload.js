import { PREFLIGHT_PROBES } from '../../load/workload/keyspace.js';
import { objectSizes } from '../../load/workload/size-distribution.js';
import { Ledger, ledgerMemory } from '../../load/workload/ledger.js';

/**
 * @import { Workload } from '../../load/operations/operation.js'
 * @import { RunContext } from './run-context.js'
 * @import { ObjectsConfig, Shard } from '../../result/config.js'
 */

/** Maximum probes for the unloaded latency. Their indices follow those of the preflight probes. */
export const MAX_LATENCY_PROBES = 25;

/**
 * @param {Pick<RunContext, 'keyspace' | 'payload' | 'amounts'>} run
 * @param {Shard} shard
 * @param {(index: number) => number} sizeOf bytes of a probe
 * @returns {Workload} probes, which operations process like the objects of a stage
 */
export function probeWorkload({ keyspace, payload, amounts }, shard, sizeOf) {
  const ledger = new Ledger(ledgerMemory(PREFLIGHT_PROBES + MAX_LATENCY_PROBES));
  return { keyspace: keyspace.probes, payload, sizeOf, ledger, shard, amounts, wroteObjects: true };
}

/**
 * @param {Workload} probes
 * @param {Pick<RunContext, 'keyspace'>} run
 * @returns {Workload} the copies of the probes, so that they can be removed
 */
export function probeCopyWorkload(probes, { keyspace }) {
  const ledger = new Ledger(ledgerMemory(PREFLIGHT_PROBES + MAX_LATENCY_PROBES));
  return { ...probes, keyspace: keyspace.probeCopies, ledger };
}

/**
 * @param {Pick<RunContext, 'keyspace' | 'payload' | 'ledger' | 'listed' | 'amounts'>} run
 * @param {Pick<ObjectsConfig, 'runId' | 'shard' | 'size' | 'sizes'>} objects of the run
 * @returns {Workload} objects that an earlier run wrote, or that were listed
 */
export function keptWorkload({ keyspace, payload, ledger, listed, amounts }, objects) {
  const kept = { payload, ledger, shard: objects.shard, amounts, listed, wroteObjects: false };
  return !listed
    ? { ...kept, keyspace, sizeOf: objectSizes(objects) }
    : { ...kept, keyspace: listed, sizeOf: listed.sizeOf };
}
