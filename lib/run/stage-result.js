import { limitOf } from '../bottleneck/verdict.js';
import { ABANDONED } from '../engine/stage-watch.js';
import { peakBytesOf, peakOf } from '../meter/second-counts.js';
import { STAGES } from '../operations/registry.js';

/**
 * @import { Evidence } from '../bottleneck/verdict.js'
 * @import { Clock } from '../clock/clock.js'
 * @import { Pacing } from '../engine/arrivals.js'
 * @import { ConnectionOutcome, StageOutcome } from '../engine/cores.js'
 * @import { Load } from '../engine/run-stage.js'
 * @import { ClockFacts, ConnectionResult, LoadResult } from '../model/result.js'
 * @import { StageCounts, StageResult } from '../model/result.js'
 * @import { UnloadedLatency } from '../model/result.js'
 * @import { Stage } from '../operations/operation.js'
 */

/** A stage of no length would have no rate. */
const SHORTEST_DURATION_MS = 0.001;

const NO_LATENCY = Object.freeze({ p50: null, p99: null, maximum: null });

/**
 * @param {object} parts
 * @param {Stage} parts.stage
 * @param {StageOutcome} parts.outcome
 * @param {Clock} parts.clock
 * @param {number} parts.objects
 * @param {Load} parts.load
 * @param {UnloadedLatency | null} parts.unloaded
 * @param {number} parts.availableCores that the process may use
 * @param {ClockFacts | null} parts.storeClock
 * @param {number | null} [parts.objectsNeeded] see StageResultFields
 * @param {number} [parts.stopsAt] monotonic ms at which no operation was begun any more, where time ends the stage
 * @returns {StageResult}
 */
export function stageResult(parts) {
  const { stage, outcome, clock, objects, load, unloaded, availableCores, storeClock, stopsAt } = parts;
  const { meter, secondLatencies } = outcome;
  const counts = meter.counts();
  const startedAt = clock.toEpoch(outcome.startedAt);
  const endedAt = clock.toEpoch(outcome.endedAt);
  const duration = Math.max(endedAt - startedAt, SHORTEST_DURATION_MS);
  const warmup = Math.min(load.warmup, duration);
  const drain = Math.min(Math.max(outcome.endedAt - (stopsAt ?? Infinity), 0), duration - warmup);
  const measured = Math.max(duration - warmup - drain, SHORTEST_DURATION_MS);
  const average = (1000 * (counts.operations - counts.warmupOperations - counts.drainOperations)) / measured;
  const averageBytes = (1000 * (counts.bytes - counts.warmupBytes - counts.drainBytes)) / measured;
  const measuredTime = { startedAt: startedAt + warmup, endedAt: endedAt - drain };
  const seconds = meter.seconds
    .until(outcome.endedAt)
    .map((count) => ({ ...count, ...(secondLatencies.get(count.second) ?? NO_LATENCY) }));
  const result = {
    stage: stage.name,
    end: outcome.end,
    objects,
    threads: load.threads,
    objectSize: load.objectSize,
    startedAt,
    endedAt,
    duration,
    warmup,
    drain,
    average,
    peak: peakOf(seconds, { ...measuredTime, average }),
    averageBytes,
    peakBytes: peakBytesOf(seconds, meter.byteShifts, { ...measuredTime, average: averageBytes }),
    seconds,
    latencies: meter.latencies(),
    connections: connectionResult(outcome.connections),
    clientLoad: outcome.clientLoad,
    load: loadResult(load.pacing),
    failedAttempts: failedAttempts(counts),
    unloaded,
    storeClock,
    objectsNeeded: parts.objectsNeeded ?? null,
    ...counts,
  };
  return { ...result, verdict: limitOf(evidenceOf(result, availableCores)) };
}

/**
 * @param {StageCounts} counts
 * @returns {number}
 */
export function failedAttempts({ attempts, operations, errors }) {
  return attempts - operations - (errors[ABANDONED] ?? 0);
}

/**
 * @param {Omit<StageResult, 'verdict'>} result
 * @param {number} availableCores that the process may use
 * @returns {Evidence}
 */
export function evidenceOf(result, availableCores) {
  const { end, duration, operations, attempts, throttled, threads, latencies, clientLoad, load, unloaded } = result;
  const { cpuUser, cpuSystem, loops, eventLoopUtilization, busyLoops } = clientLoad;
  const movesBytes = STAGES.some(({ name, isRead, isWrite }) => name === result.stage && (isRead || isWrite));
  return {
    eventLoopUtilization,
    busyLoops,
    loops,
    cpuCores: (cpuUser + cpuSystem) / duration,
    availableCores,
    operations,
    measured: operations - result.warmupOperations - result.drainOperations,
    failed: result.failed + result.integrityErrors,
    attempts,
    throttled,
    backoffShare: backoffShare(result),
    p50: latencies.operations.summary()?.p50 ?? null,
    mean: latencies.operations.summary()?.mean ?? null,
    unloadedP50: unloaded?.p50 ?? null,
    unloadedSize: movesBytes && unloaded !== null && unloaded.size < result.objectSize ? unloaded.size : null,
    threads,
    isOpenLoop: load.mode === 'open loop',
    end,
    startDelayP50: latencies.startDelay.summary()?.p50 ?? null,
    search: null,
  };
}

/**
 * Late starts of an open loop are in all three sums, and no time of a thread.
 *
 * @param {Pick<StageResult, 'timeLost' | 'timeGivenUp' | 'latencies'>} result
 * @returns {number} the share of the threads' time that went into failed attempts and the pauses behind them, 0 to 1
 */
function backoffShare({ timeLost, timeGivenUp, latencies: { operations, startDelay } }) {
  const busy = operations.sum + timeGivenUp - startDelay.sum;
  return busy > 0 ? Math.min(Math.max((timeLost + timeGivenUp - startDelay.sum) / busy, 0), 1) : 0;
}

/**
 * @param {Pacing | null} pacing
 * @returns {LoadResult}
 */
function loadResult(pacing) {
  return pacing === null
    ? { mode: 'closed loop', rate: null, arrival: null }
    : { mode: 'open loop', rate: pacing.rate, arrival: pacing.arrival };
}

/**
 * @param {ConnectionOutcome} outcome
 * @returns {ConnectionResult}
 */
function connectionResult({ opened, reused, lookupTime, meter }) {
  return { opened, reused, lookupTime, ...meter.costs() };
}
