import { addRecords } from './add.js';
import { SCHEMA } from './schema.js';

/**
 * @import { LatencySummary, LoopLoad, NotedOperation, SecondCount, StageCounts, StageEnd, StageLatency } from './result.js'
 */

// What meters measure, as plain data that can be sent between threads. The schemas show how it adds, like the schema of
// results.

/**
 * Operations of a part of a stage: on objects of similar size, in a bucket, with one cache status, and so on.
 *
 * @typedef {object} PartRecord
 * @property {number} operations that succeeded
 * @property {number} bytes of successful operations
 * @property {number} measured successful operations that count in rates: neither warm-up nor drain
 * @property {number} measuredBytes bytes of the operations that count in rates
 * @property {LatencySummary | null} latency of operations after the warm-up
 * @property {string | null} histogram of the same
 */

/**
 * @typedef {{ failed: number, failedAttempts: number, throttled: number }} Failures
 *
 * @typedef {{ bucket: string } & PartRecord & Failures} BucketRecord operations in one bucket
 */

/**
 * The operations of one kind in a stage, or of all kinds.
 *
 * @typedef {StageCounts & OtherOfKind} KindRecord
 *
 * @typedef {object} OtherOfKind
 * @property {string} [operation] absent for several kinds
 * @property {number} failedAttempts except those cut off by the end of the stage
 * @property {number} done operations that have ended, whatever their outcome
 * @property {StageLatency} latency
 * @property {SecondCount[]} seconds every second of the stage, except those in which the process was suspended
 * @property {readonly number[]} windows operations by window, see WindowCounts; can be empty
 * @property {(PartRecord & { status: string, maxAge: number })[]} cache responses by cache status, or writes of races by
 *   outcome
 * @property {(PartRecord & { from: number, to: number })[]} [sizeClasses] absent if operations are not split by size
 * @property {{ first: PartRecord, repeated: PartRecord }} [reads] the first read of each object, and repeated reads;
 *   absent if they are not distinguished
 * @property {number} lastSuccessAt monotonic ms of the last success, or of the stage's start
 */

/** @typedef {{ latency: LatencySummary | null, histogram: string | null }} LatencyRecord */

/**
 * Connections since the previous stage.
 *
 * @typedef {object} ConnectionRecord
 * @property {number} opened
 * @property {number} reused
 * @property {number} socketWait total ms
 * @property {number | null} lookupTime ms; null without a name lookup
 * @property {LatencyRecord} tcp
 * @property {LatencyRecord} tls
 * @property {Record<string, number>} colos first responses by data center
 */

/**
 * What one worker measured in a stage, or what all of them measured in one step.
 *
 * @typedef {object} StageRecord
 * @property {StageEnd} end
 * @property {number} startedAt monotonic ms
 * @property {number} endedAt monotonic ms
 * @property {KindRecord[]} kinds
 * @property {BucketRecord[]} buckets in the order in which the run lists them
 * @property {number} waited total ms that operations waited for an available object
 * @property {NotedOperation[]} slowest
 * @property {NotedOperation[]} failures
 * @property {LoopLoad[]} loops of the workers
 * @property {ConnectionRecord} connections
 */

/**
 * The figures of a running stage or of its current step, since its start.
 *
 * @typedef {object} StageSnapshot
 * @property {boolean} isFinal whether the stage or step has ended; the next snapshot starts from zero
 * @property {KindRecord[]} kinds without their seconds
 * @property {BucketRecord[]} buckets
 * @property {{ opened: number, reused: number, open: number | null }} connections `open`: null at the end
 * @property {number} inFlight
 * @property {number[]} loops utilization (0 to 1) of each event loop with threads since the previous snapshot
 */

/** @typedef {{ pausedBetween(from: number, until: number): number }} Pauses of the process; epoch ms */

const SUM = { 'x-add': 'sum' };
const COMMON = { 'x-add': 'common' };
const ALL = { 'x-add': 'all' };
const NUMBERS = { 'x-add': 'by-index' };
const LATENCY = { 'x-add': 'record', properties: { histogram: { 'x-add': 'histogram' } } };

/** @param {readonly string[]} names @param {object} rule */
function fields(names, rule) {
  return Object.fromEntries(names.map((name) => [name, rule]));
}

const PART = {
  properties: {
    ...fields(['bucket', 'status', 'from', 'to'], COMMON),
    ...fields(['operations', 'bytes', 'measured', 'measuredBytes', 'failed', 'failedAttempts', 'throttled'], SUM),
    histogram: { 'x-add': 'histogram' },
    maxAge: { 'x-add': 'max' },
  },
};

/** @param {string[]} key @param {object} items */
function listOf(key, items) {
  return { 'x-add': 'by-key', 'x-key': key, items };
}

const KIND = {
  properties: {
    ...SCHEMA.$defs.counters.properties,
    operation: COMMON,
    failedAttempts: SUM,
    done: SUM,
    errors: { 'x-add': 'by-name' },
    latency: { 'x-add': 'latencies' },
    seconds: listOf(['secondStart'], SCHEMA.$defs.second),
    windows: NUMBERS,
    cache: listOf(['status'], PART),
    sizeClasses: listOf(['from', 'to'], PART),
    reads: {
      'x-add': 'record',
      properties: { first: { 'x-add': 'record', ...PART }, repeated: { 'x-add': 'record', ...PART } },
    },
    lastSuccessAt: { 'x-add': 'max' },
  },
};

const KINDS = listOf(['operation'], KIND);
const BUCKETS = listOf(['bucket'], PART);

const STAGE = {
  properties: {
    end: SCHEMA.$defs.stage.properties.end,
    startedAt: { 'x-add': 'min' },
    endedAt: { 'x-add': 'max' },
    kinds: KINDS,
    buckets: BUCKETS,
    waited: SUM,
    slowest: ALL,
    failures: ALL,
    loops: ALL,
    connections: {
      'x-add': 'record',
      properties: {
        ...fields(['opened', 'reused', 'socketWait'], SUM),
        lookupTime: { 'x-add': 'first', type: 'null' },
        tcp: LATENCY,
        tls: LATENCY,
        colos: { 'x-add': 'by-name' },
      },
    },
  },
};

const SNAPSHOT = {
  properties: {
    isFinal: { 'x-add': 'max' },
    kinds: KINDS,
    buckets: BUCKETS,
    connections: {
      'x-add': 'record',
      properties: { ...fields(['opened', 'reused'], SUM), open: { 'x-add': 'sum-known', type: 'null' } },
    },
    inFlight: SUM,
    loops: ALL,
  },
};

/** A second of a running stage. */
const SECOND = {
  properties: {
    secondStart: COMMON,
    ...fields(['operations', 'bytes', 'objectBytes'], SUM),
    kinds: { ...NUMBERS, items: { properties: fields(['operations', 'bytes'], SUM) } },
    billed: NUMBERS,
    latencies: LATENCY,
  },
};

/** Slowest operations, and last failures. */
export const MAX_NOTED = 20;

/**
 * @param {readonly StageRecord[]} records of the workers or steps of a stage, at least one
 * @param {Pauses} clock
 * @returns {StageRecord & { whole: KindRecord }} `whole`: the sum of all kinds
 */
export function sumOfStages(records, clock) {
  const { kinds, slowest, failures, ...sum } = addRecords(STAGE, records);
  const whole = kinds.map((kind) => ({ ...kind, seconds: everySecond(kind.seconds, clock) }));
  return {
    ...sum,
    kinds: whole,
    whole: sumOfKinds(whole),
    slowest: slowest.toSorted((one, other) => other.duration - one.duration).slice(0, MAX_NOTED),
    failures: failures.toSorted((one, other) => one.time - other.time).slice(-MAX_NOTED),
  };
}

/** @param {readonly KindRecord[]} records of one kind, or of all kinds of a stage, at least one */
export function sumOfKinds(records) {
  return addRecords(KIND, records);
}

/**
 * The figures of a run's only bucket, which are those of the stage.
 *
 * @param {string} bucket
 * @param {readonly KindRecord[]} kinds
 * @returns {BucketRecord}
 */
export function onlyBucket(bucket, kinds) {
  const { latency, ...counts } = sumOfKinds(kinds);
  const { operations, bytes, failed, integrityErrors, failedAttempts, throttled } = counts;
  return {
    ...{ bucket, operations, bytes, failedAttempts, throttled },
    failed: failed + integrityErrors,
    measured: operations - counts.warmupOperations - counts.drainOperations,
    measuredBytes: bytes - counts.warmupBytes - counts.drainBytes,
    latency: latency.operations,
    histogram: latency.histogram.operations,
  };
}

/** @param {readonly StageSnapshot[]} snapshots of several workers or steps, at least one */
export function sumOfSnapshots(snapshots) {
  return addRecords(SNAPSHOT, snapshots);
}

/**
 * @template {object} Second
 * @param {readonly Second[]} seconds of several workers, all of the same second
 */
export function sumOfSeconds(seconds) {
  return addRecords(SECOND, seconds);
}

/**
 * @param {readonly SecondCount[]} seconds in order, at least one
 * @param {Pauses} clock
 * @returns {SecondCount[]} from the first to the last, including those without operations, except
 *   those in which the process was suspended
 */
export function everySecond(seconds, clock) {
  const known = new Map(seconds.map((second) => [second.secondStart, second]));
  const [{ secondStart: first }] = seconds;
  const length = seconds[seconds.length - 1].secondStart - first + 1;
  // Threads can differ in where a pause began, so one may have completed operations in its first second.
  return Array.from({ length }, (_, index) => {
    const secondStart = first + index;
    return known.get(secondStart) ?? { secondStart, operations: 0, bytes: 0 };
  }).filter(({ secondStart, operations }) => operations > 0 || !isPaused(secondStart, clock));
}

/**
 * Whether the process was suspended for the whole second.
 *
 * @param {number} second epoch second
 * @param {Pauses} clock
 */
export function isPaused(second, clock) {
  return clock.pausedBetween(1000 * second, 1000 * (second + 1)) === 1000;
}
