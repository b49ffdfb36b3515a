import { classify } from '../result/bottleneck/classify.js';
import { COUNT_NAMES } from '../result/counters.js';
import { NO_LATENCY, peakOf } from '../result/seconds.js';
import { formatAccess } from '../load/workload/access.js';
import { formatSizes, typicalSize } from '../load/workload/size-distribution.js';

/**
 * @import { Evidence } from '../result/bottleneck/classify.js'
 * @import { Clock } from '../measure/clock/clock.js'
 * @import { Pacing } from '../load/loops.js'
 * @import { StageOutcome } from '../load/workers.js'
 * @import { Load } from '../load/run-stage.js'
 * @import { BucketResult, KindResult, LatencySummary, LoadResult, PartResult, StageCounts, StageResult, UnloadedLatency } from '../result/result.js'
 * @import { BucketRecord, ConnectionRecord, KindRecord, PartRecord } from '../result/records.js'
 * @import { Stage } from '../load/operations/stage.js'
 * @import { PlanContext } from './plan.js'
 */

/** Keeps rates finite for a stage of zero duration. */
const MIN_DURATION_MS = 0.001;

/** @typedef {ReturnType<typeof stageResults>} StageResults */

/**
 * Makes results of one stage from what its slots measured.
 *
 * @param {Stage} stage
 * @param {number} objects given to the stage
 * @param {Pick<PlanContext, 'config' | 'clock' | 'unloaded'>} context
 */
export function stageResults(stage, objects, { config, clock, unloaded }) {
  const { availableCores } = config.load;
  const ofStage = unloaded.get(stage.name.toLowerCase()) ?? null;
  const parts = { stage, objects, clock, unloaded: ofStage, unloadedByOperation: unloaded, availableCores };
  /** @param {Pick<StageParts, 'outcome' | 'load' | 'stopsAt' | 'objectsNeeded'>} ran */
  const of = (ran) => stageResult({ ...parts, ...ran });
  /** @param {Parameters<typeof of>[0]} ran */
  const evidence = (ran, result = of(ran)) => evidenceOf(result, ran.load, stage.movesBytes, availableCores);
  return { of, evidence };
}

/**
 * @typedef {object} StageParts
 * @property {Stage} stage
 * @property {StageOutcome} outcome
 * @property {Clock} clock
 * @property {number} objects
 * @property {Load} load
 * @property {UnloadedLatency | null} unloaded
 * @property {ReadonlyMap<string, UnloadedLatency>} [unloadedByOperation] for a stage of several kinds
 * @property {number} availableCores that the process can use
 * @property {number | null} [objectsNeeded] see the schema
 * @property {number} [stopsAt] monotonic ms after which no operation starts, if time ends the stage
 */

/** @param {StageParts} parts @returns {StageResult} */
export function stageResult(parts) {
  const { stage, outcome, clock, objects, load, unloaded, availableCores, stopsAt } = parts;
  const { whole, secondLatencies, slowest, failures } = outcome;
  const startedAt = clock.toEpoch(outcome.startedAt);
  const endedAt = clock.toEpoch(outcome.endedAt);
  const paused = clock.pausedBetween(startedAt, endedAt);
  const duration = Math.max(outcome.endedAt - outcome.startedAt, MIN_DURATION_MS);
  const warmup = Math.min(load.warmup, duration);
  const drain = Math.min(Math.max(outcome.endedAt - (stopsAt ?? Infinity), 0), duration - warmup);
  const measured = Math.max(duration - warmup - drain, MIN_DURATION_MS);
  const measuredTime = {
    startedAt: clock.toEpoch(outcome.startedAt + warmup),
    endedAt: clock.toEpoch(outcome.endedAt - drain),
    duration: measured,
  };
  const seconds = whole.seconds.map((count) => ({
    ...count,
    ...(secondLatencies.get(count.secondStart) ?? NO_LATENCY),
  }));
  const figures = figuresOf(whole, measuredTime);
  const result = {
    stage: stage.name,
    end: outcome.end,
    objects,
    threads: load.threads,
    objectSize: load.size,
    ...orderOfObjects(stage, load),
    startedAt,
    endedAt,
    duration,
    paused,
    warmup,
    drain,
    seconds,
    connections: connectionResult(outcome.connections),
    clientLoad: outcome.clientLoad,
    hostLoad: outcome.hostLoad,
    load: loadResult(load.pacing),
    unloaded,
    objectsNeeded: parts.objectsNeeded ?? null,
    slowest,
    failures,
    ...figures,
    ...(stage.isRace ? { cache: [], contenders: figures.cache } : { contenders: [] }),
    ...partResults(stage.kinds.length === 1 ? whole : {}, measured),
    buckets: outcome.buckets.map((bucket) => bucketResult(bucket, measured)),
  };
  const keyWait = outcome.waited / (duration * load.threads);
  const reads = outcome.kinds[stage.kinds.findIndex(({ operation }) => operation.name === 'read')];
  const readsP99 = reads?.latency.operations?.p99;
  const evidence = { ...evidenceOf(result, load, stage.movesBytes, availableCores), keyWait, readsP99 };
  const bottleneck = classify(evidence);
  return stage.kinds.length === 1
    ? { ...result, bottleneck }
    : { ...result, bottleneck, kinds: kindResults(result, parts, measuredTime, evidence) };
}

/**
 * @param {Stage} stage
 * @param {Load} load
 * @returns {Pick<StageResult, 'sizes' | 'access'>}
 */
function orderOfObjects({ kinds }, { sizes, access }) {
  const isDrawn = access !== undefined && kinds.some(({ operation }) => operation.followsAccess);
  return { sizes: sizes === undefined ? null : formatSizes(sizes), access: isDrawn ? formatAccess(access) : null };
}

/**
 * @param {Pick<KindRecord, 'sizeClasses' | 'reads'>} record of one kind
 * @param {number} duration ms, for the rates
 * @returns {Pick<StageResult, 'sizeClasses' | 'reads'>}
 */
function partResults({ sizeClasses = [], reads }, duration) {
  return {
    sizeClasses: sizeClasses.map(({ from, to, ...part }) => ({ from, to, ...ofPart(part, duration) })),
    reads: reads ? { first: ofPart(reads.first, duration), repeated: ofPart(reads.repeated, duration) } : null,
  };
}

/**
 * @param {PartRecord} part
 * @param {number} duration ms, for the rates
 * @returns {PartResult}
 */
function ofPart({ operations, bytes, measured, measuredBytes, latency, histogram }, duration) {
  return {
    operations,
    bytes,
    average: (1000 * measured) / duration,
    averageBytes: (1000 * measuredBytes) / duration,
    latency,
    histogram,
  };
}

/**
 * @typedef {{ startedAt: number, endedAt: number, duration: number }} MeasuredTime in epoch ms;
 *   `duration`: ms from `startedAt` to `endedAt`, at least {@link MIN_DURATION_MS}
 */

/**
 * The figures reported for a stage and for each of its kinds.
 *
 * @param {KindRecord} record
 * @param {MeasuredTime} time
 */
function figuresOf(record, time) {
  const { seconds, latency, failedAttempts, errors } = record;
  const counts = /** @type {StageCounts} */ ({
    ...Object.fromEntries(COUNT_NAMES.map((name) => [name, record[name]])),
    errors,
  });
  const average = (1000 * (counts.operations - counts.warmupOperations - counts.drainOperations)) / time.duration;
  const averageBytes = (1000 * (counts.bytes - counts.warmupBytes - counts.drainBytes)) / time.duration;
  return {
    average,
    peak: peakOf(seconds, { ...time, average }),
    averageBytes,
    cache: statusResults(record, time.duration),
    averageKeys: counts.keys === 0 ? null : (average * counts.keys) / counts.operations,
    latency,
    failedAttempts,
    ...counts,
  };
}

/**
 * @param {KindRecord} record
 * @param {number} duration ms, for the rates
 */
function statusResults({ cache }, duration) {
  return cache
    .map(({ status, maxAge, ...part }) => ({ status, ...ofPart(part, duration), maxAge: maxAge < 0 ? null : maxAge }))
    .sort((one, other) => other.operations - one.operations || (one.status < other.status ? -1 : 1));
}

/**
 * @param {BucketRecord} record
 * @param {number} duration ms, for the rates
 * @returns {BucketResult}
 */
function bucketResult({ measured, measuredBytes, bytes, latency, histogram, ...counts }, duration) {
  return { ...counts, average: (1000 * measured) / duration, latency, histogram };
}

/**
 * @param {Omit<StageResult, 'bottleneck'>} whole
 * @param {StageParts} parts
 * @param {MeasuredTime} time
 * @param {Evidence} evidence of the stage, whose rate and waits for keys are those of all kinds
 * @returns {KindResult[]} for a stage of several kinds
 */
function kindResults(whole, parts, time, { average, keyWait }) {
  const { stage, outcome, load, availableCores, unloadedByOperation } = parts;
  return stage.kinds.map(({ operation: { name, movesBytes } }, kind) => {
    const figures = figuresOf(outcome.kinds[kind], time);
    const unloaded = unloadedByOperation?.get(name) ?? null;
    const threads = Math.max(Math.round(whole.threads * (busyTime(figures) / busyTime(whole) || 0)), 1);
    const evidence = evidenceOf({ ...whole, ...figures, unloaded, threads }, load, movesBytes, availableCores);
    const bottleneck = classify({ ...evidence, average, keyWait, ofThreads: whole.threads });
    const ofParts = partResults(outcome.kinds[kind], time.duration);
    return { operation: name, threads, ...figures, unloaded, bottleneck, ...ofParts };
  });
}

/**
 * @param {Omit<StageResult, 'bottleneck'>} result
 * @param {Pick<Load, 'size' | 'sizes' | 'pacing'>} load
 * @param {boolean} movesBytes whether the operations transfer object data
 * @param {number} availableCores that the process can use
 * @returns {Evidence}
 */
export function evidenceOf(result, { size, sizes, pacing }, movesBytes, availableCores) {
  const { end, duration, operations, attempts, throttled, threads, latency, clientLoad, load, unloaded } = result;
  const { cpuUser, cpuSystem, loops, eventLoopUtilization, busyLoops } = clientLoad;
  return {
    eventLoopUtilization,
    busyLoops,
    loops,
    cpuCores: (cpuUser + cpuSystem) / duration,
    availableCores,
    isShared: clientLoad.shared === true,
    operations,
    measured: operations - result.warmupOperations - result.drainOperations,
    failed: result.failed + result.integrityErrors,
    attempts,
    throttled,
    backoffShare: backoffShare(result),
    p50: latency.operations?.p50 ?? null,
    // With mixed sizes, a mean above the median does not prove that operations were slowed down.
    mean: movesBytes && sizes !== undefined ? null : (latency.operations?.mean ?? null),
    minimum: latency.operations?.minimum ?? null,
    unloadedP50: unloaded?.p50 ?? null,
    unloadedSize: movesBytes && unloaded && unloaded.size < typicalSize({ size, sizes }) ? unloaded.size : null,
    threads,
    average: result.average,
    requestedRate: load.rate,
    speed: pacing?.speed,
    busiestMinute: pacing?.busiestMinute,
    end,
    startDelayP50: latency.startDelay?.p50 ?? null,
    startDelayP90: latency.startDelay?.p90 ?? null,
    keyWait: 0,
    openedShare: Math.max(result.connections.opened - threads, 0) / Math.max(attempts, 1),
    socketWait: (result.connections.socketWait ?? 0) / (operations * (latency.operations?.mean ?? 0) || Infinity),
    host: result.hostLoad ?? null,
    search: null,
    rateSearch: null,
  };
}

/**
 * In an open loop, all three times include the start delays, which take no thread's time and are therefore subtracted.
 *
 * @param {Pick<StageResult, 'timeLost' | 'timeGivenUp' | 'latency'>} result
 * @returns {number} share of the threads' time spent on failed attempts and the pauses after them, 0 to 1
 */
function backoffShare(result) {
  const { timeLost, timeGivenUp, latency } = result;
  const busy = busyTime(result);
  return busy > 0 ? Math.min(Math.max((timeLost + timeGivenUp - totalOf(latency.startDelay)) / busy, 0), 1) : 0;
}

/** ms that all threads together spent on operations. @param {Pick<StageResult, 'timeGivenUp' | 'latency'>} result */
function busyTime({ timeGivenUp, latency: { operations, startDelay } }) {
  return totalOf(operations) + timeGivenUp - totalOf(startDelay);
}

/** Sum of all values in ms. @param {LatencySummary | null} summary */
function totalOf(summary) {
  return summary === null ? 0 : summary.mean * summary.count;
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

/** @param {ConnectionRecord} record */
function connectionResult({ tcp, tls, ...counts }) {
  return { ...counts, tcp: tcp.latency, tls: tls.latency };
}
