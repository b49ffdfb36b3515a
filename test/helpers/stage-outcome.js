import { ConnectionMeter } from '../../lib/measure/stage-meter.js';
import { onlyBucket, sumOfStages } from '../../lib/result/records.js';
import { NO_HOST_LOAD, loopLoad } from './host-load.js';

/**
 * @import { StageMeter } from '../../lib/measure/stage-meter.js'
 * @import { WorkerOutcome } from '../../lib/load/worker.js'
 * @import { StageOutcome } from '../../lib/load/workers.js'
 * @import { ManualClock } from './manual-clock.js'
 */

/** Connections of a stage that opened none. */
export const NO_CONNECTIONS = {
  ...{ opened: 0, reused: 0, socketWait: 0, lookupTime: null },
  ...new ConnectionMeter().take(),
};

/**
 * @param {readonly StageMeter[]} meters by kind
 * @param {{ startedAt: number, endedAt: number } & Partial<WorkerOutcome>} given monotonic ms
 * @returns {WorkerOutcome} by default complete, with one bucket
 */
export function workerOutcome(meters, given) {
  const kinds = meters.map((meter, kind) => ({ operation: `kind-${kind}`, ...meter.until(given.endedAt) }));
  return {
    end: 'complete',
    fatal: null,
    kinds,
    buckets: [onlyBucket('bucket', kinds)],
    waited: 0,
    slowest: [],
    failures: [],
    loops: [loopLoad(0)],
    connections: NO_CONNECTIONS,
    ...given,
  };
}

/**
 * @param {readonly StageMeter[]} meters by kind
 * @param {Pick<ManualClock, 'pausedBetween'>} clock
 * @param {{ startedAt: number, endedAt: number } & Partial<StageOutcome>} given
 * @returns {StageOutcome}
 */
export function stageOutcome(meters, clock, given) {
  return {
    ...sumOfStages([workerOutcome(meters, given)], clock),
    fatal: null,
    secondLatencies: new Map(),
    clientLoad: { cpuUser: 0, cpuSystem: 0, loops: 1, eventLoopUtilization: 0, busyLoops: 0 },
    hostLoad: NO_HOST_LOAD,
    ...given,
  };
}
