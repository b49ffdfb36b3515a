import { measureEventLoop } from '../measure/host/client-load.js';
import { SecondSampler } from '../measure/second-counts.js';
import { OperationRecord } from './operations/operation-record.js';
import { Pauses, Retrier } from '../store/retry.js';
import { objectSizes } from './workload/size-distribution.js';
import { sizesOf } from './workload/trace.js';
import { claimsFor } from './claims.js';
import { watchFlow } from './data-flow.js';
import { deliveryFor } from './delivery.js';
import { ClosedLoop, OpenLoop } from './loops.js';
import { Recorder } from './recorder.js';
import { runPool } from './run-pool.js';
import { StageWatch } from './stage-watch.js';

/**
 * @import { Clock } from '../measure/clock/clock.js'
 * @import { Windows } from '../measure/stage-meter.js'
 * @import { AccessPattern, MultipartConfig, SizeDistribution } from '../result/config.js'
 * @import { BucketRecord, KindRecord, StageSnapshot } from '../result/records.js'
 * @import { NotedOperation, StageEnd } from '../result/result.js'
 * @import { ConnectionSnapshot, DataFlow } from '../result/run-events.js'
 * @import { Workload } from './operations/operation.js'
 * @import { Stage } from './operations/stage.js'
 * @import { ObjectConnection } from '../store/object-store.js'
 * @import { MixedMemory } from './workload/mixed-objects.js'
 * @import { ObjectGroups } from './workload/object-groups.js'
 * @import { Alarm } from './alarm.js'
 * @import { Pacing } from './loops.js'
 * @import { Budget } from './budget.js'
 * @import { MeasuredSecond } from './workers.js'
 * @import { FatalError, TimeLimit } from './stage-watch.js'
 */

// Runs a stage on one worker. The stage's claims (claims.js) decide which operation is next, its loop
// (loops.js) decides when it starts, and its delivery (delivery.js) decides how it is sent.
// Its recorder (recorder.js) counts the operations.

const PROGRESS_INTERVAL_MS = 250;

/**
 * @typedef {object} Engine shared by all stages of a run
 * @property {Clock} clock
 * @property {() => number} random uniform in [0, 1)
 * @property {string} runId seeds the object sizes and the order of a stage's kinds
 * @property {Omit<Workload, 'sizeOf'>} workload
 * @property {readonly ObjectConnection[]} connections one for each thread
 * @property {readonly ObjectConnection[]} [partConnections] for sending parts concurrently, the same number for
 *   each thread
 * @property {MultipartConfig} [multipart] how objects are written in parts; absent if none are
 * @property {number} maxAttempts of an operation
 * @property {number} stallTimeout ms without a success after which a stage ends
 * @property {Pick<Alarm, 'waitUntil' | 'endAll'> | null} alarm null if no stage uses an open loop
 * @property {(() => ConnectionSnapshot) | null} [lookAtConnections] absent or null if no snapshots are needed
 * @property {boolean} [readsCache] whether a cache can serve reads
 * @property {boolean} [timesBinding] whether responses contain the time of a Worker's binding
 * @property {boolean} [retriesInside] whether the client itself retries attempts
 */

/**
 * Events of a running stage.
 *
 * @typedef {object} StageHooks
 * @property {(second: MeasuredSecond) => void} second called after each completed second
 * @property {(kind: string, advice: string, refused: boolean) => void} retrying called when an operation is retried
 *   after an error of this kind; the advice can be empty; `refused`: whether the store asked for fewer requests
 * @property {(message: string) => void} integrityError
 * @property {(operation: GivenUpOperation, message: string) => void} failed called when the run gives up on
 *   an operation
 * @property {(done: number, flow: DataFlow) => void} progress called periodically; `done`: operations that have ended
 * @property {(snapshots: readonly StageSnapshot[]) => void} [snapshot] called each second with the figures of each
 *   worker so far, if enabled
 *
 * @typedef {{ bucket: string, key: string, attempts: number }} GivenUpOperation
 */

/**
 * The load that a stage applies, in plain values.
 *
 * @typedef {object} Load
 * @property {number} threads number of threads that take part
 * @property {number} size bytes; of the largest objects if sizes vary
 * @property {SizeDistribution} [sizes] if sizes vary
 * @property {AccessPattern} [access] of operations that read single objects; absent if they read in order
 * @property {SharedArrayBuffer} [seen] see seenMemory: a bit per kind and object, if first and repeated reads are split
 * @property {Pacing | null} pacing of an open loop; null for a closed loop
 * @property {number} warmup ms at the beginning that are excluded from rates and percentiles
 * @property {MixedMemory} [replaced] when each object may be replaced again, if the stage replaces them
 * @property {number} [mixedObjects] number of objects, if the stage rewrites them
 * @property {Windows | null} windows in which operations are counted, in addition to the counts per second
 */

/**
 * The outcome of a stage on one worker.
 *
 * @typedef {object} MeteredStage
 * @property {StageEnd} end
 * @property {FatalError | null} fatal
 * @property {number} startedAt monotonic ms
 * @property {number} endedAt monotonic ms
 * @property {KindRecord[]} kinds
 * @property {BucketRecord[]} buckets in the order in which the run lists them
 * @property {number} waited total ms that operations waited for an available object
 * @property {NotedOperation[]} slowest
 * @property {NotedOperation[]} failures
 */

/**
 * Runs one stage on one worker, from the first operation to the last.
 *
 * @param {Stage} stage
 * @param {StageOptions} options
 * @returns {Promise<MeteredStage>}
 *
 * @typedef {object} StageOptions
 * @property {Engine} engine
 * @property {Load} load
 * @property {Budget} budget
 * @property {ObjectGroups | null} [groups] of a stage whose operations each work on several objects
 * @property {readonly (ObjectGroups | null)[]} [kindGroups] of a stage of several kinds, by kind
 * @property {TimeLimit | null} [limit]
 * @property {AbortSignal} signal stops the stage; requests in flight have some time to settle
 * @property {StageHooks} hooks
 */
export async function runStage(stage, options) {
  const { engine, load, budget, groups = null, kindGroups, limit = null, signal, hooks } = options;
  const { clock, random, runId, maxAttempts, stallTimeout } = engine;
  const { now } = clock;
  const { size, sizes } = load;
  const { listed, trace, shard } = engine.workload;
  const recorded = trace ? sizesOf(trace, shard) : undefined;
  const workload = { ...engine.workload, sizeOf: listed?.sizeOf ?? recorded ?? objectSizes({ runId, size, sizes }) };
  const threads = engine.connections.slice(0, load.threads);
  const { leads, connections, countSuccess, sender } = deliveryFor(stage, threads, load, engine);
  const pauses = new Pauses();
  const startedAt = now();
  const recorder = new Recorder(stage, { engine, load, budget, limit, startedAt, hooks, countSuccess });
  const { meters } = recorder;
  const loop = loopFor(load, { engine, startedAt, budget });
  const watch = new StageWatch({
    ...{ clock, meters, connections, stallTimeout, signal, budget, limit },
    backlog: () => loop.backlog(),
    wasIdle: () => loop.wasIdle(),
    onTimeUp: () => loop.close(),
    onStop() {
      loop.close();
      pauses.endAll();
    },
  });
  recorder.watchedBy(watch);
  const { stopped } = watch;
  const retrier = new Retrier({ maxAttempts, now, random, pauses, signal: stopped, hooks: recorder.retryHooks() });
  const claims = claimsFor(stage, { workload, budget, meters, groups, kindGroups, load, now, runId });
  const send = sender({ clock, workload, recorder, watch, retrier });

  /** @param {OperationRecord} record @param {number} firstWait @returns {Promise<boolean>} whether it got an object */
  const waitForObject = async (record, firstWait) => {
    let wait = firstWait;
    for (let round = 1; wait > 0; round++) {
      const since = now();
      await pauses.wait(wait);
      recorder.waited += (now() - since) * (connections.length / leads.length);
      // The next requests of a replay may depend on this one.
      if (stopped.aborted || (budget.isClosed && claims.missed === undefined)) {
        claims.missed?.(record);
        return false;
      }
      wait = claims.place(record, round);
    }
    if (wait < 0) {
      recorder.skipped(record);
    }
    return wait === 0;
  };

  /** @param {OperationRecord} record */
  const perform = async (record) => {
    const wait = claims.place(record, 0);
    if (wait !== 0 && !(await waitForObject(record, wait))) {
      return;
    }
    recorder.begins(record);
    try {
      await send(record);
      record.noteSuccess();
      recorder.succeeded(record, record.movedBytes);
      const { answeredAt } = record.connection;
      // An operation on an absent object may succeed without a response.
      if (record.operation.receives && answeredAt >= record.attemptStartedAt) {
        meters.kinds[record.kind].answered(answeredAt - record.attemptStartedAt, record.finishedAt);
      }
    } catch (error) {
      record.noteFailure();
      recorder.failed(record, error);
    }
    recorder.ended(record);
    claims.done(record);
  };

  const takeSnapshot = snapshotTaker(stage, { engine, recorder, connections });
  let billedBefore = stage.kinds.map(() => 0);
  const seconds = new SecondSampler({
    ...{ clock, counts: meters, startedAt },
    onSecond(count) {
      const billed = meters.kinds.map((meter) => meter.billed);
      const since = billed.map((attempts, kind) => attempts - billedBefore[kind]);
      billedBefore = billed;
      hooks.second({ ...count, billed: since, latencies: meters.takeSecond(count.secondStart) });
      if (takeSnapshot !== null) {
        hooks.snapshot?.([takeSnapshot()]);
      }
    },
  });
  const [{ operation }] = stage.kinds;
  const records = leads.map((connection) => new OperationRecord(operation, workload, connection));
  const flow = watchFlow(connections);
  const reporting = setInterval(() => hooks.progress(meters.done, flow()), PROGRESS_INTERVAL_MS);
  seconds.start();
  watch.start();
  let endedAt;
  try {
    await runPool({ threads: records, ...loop.work({ claims, meters, perform }) });
  } finally {
    clearInterval(reporting);
    watch.stop();
    endedAt = now();
    seconds.stop(endedAt);
  }
  const { end, fatal } = watch;
  return { end, fatal, startedAt, endedAt, ...recorder.toRecord(endedAt) };
}

/**
 * @param {Load} load
 * @param {{ engine: Engine, startedAt: number, budget: Budget }} context
 * @returns {ClosedLoop | OpenLoop}
 */
function loopFor({ pacing }, { engine: { clock, alarm, workload }, startedAt, budget }) {
  if (pacing === null) {
    return new ClosedLoop(budget);
  }
  if (alarm === null) {
    throw new RangeError('an open loop requires an alarm');
  }
  return new OpenLoop({ pacing, trace: workload.trace, startedAt, clock, budget, alarm });
}

/**
 * @param {Stage} stage
 * @param {{ engine: Engine, recorder: Recorder, connections: readonly ObjectConnection[] }} watched
 * @returns {(() => StageSnapshot) | null} null if snapshots are not enabled
 */
function snapshotTaker({ kinds }, { engine, recorder, connections }) {
  const { lookAtConnections = null } = engine;
  if (lookAtConnections === null) {
    return null;
  }
  let loop = measureEventLoop();
  return () => {
    const utilization = loop();
    loop = measureEventLoop();
    const ofKinds = kinds.map(({ operation }, kind) => ({
      operation: operation.name,
      ...recorder.meters.kinds[kind].toRecord(),
      seconds: [],
    }));
    return {
      isFinal: false,
      kinds: ofKinds,
      buckets: recorder.bucketRecords(ofKinds),
      connections: lookAtConnections(),
      inFlight: connections.reduce((sum, { startedAt }) => sum + Number(startedAt !== 0), 0),
      loops: [utilization],
    };
  };
}
