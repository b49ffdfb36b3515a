import { bucketMeters } from '../meter/bucket-meter.js';
import { measureEventLoop } from '../meter/client-load.js';
import { SecondSampler } from '../meter/second-sampler.js';
import { StageMeters } from '../meter/stage-meter.js';
import { bucketSnapshots } from '../meter/stage-snapshot.js';
import { ABANDONED } from '../model/failed-attempts.js';
import { CHANGED } from '../operations/existing-object.js';
import { IntegrityError } from '../operations/operation.js';
import { Uploader, isInParts } from '../operations/multipart.js';
import { OperationRecord } from '../operations/operation-record.js';
import { kindsOfVersions } from '../operations/stage.js';
import { Pauses, Retrier, isRefused } from '../s3/retry.js';
import { ARCHIVED, AttemptError, NOT_FOUND } from '../s3/s3-error.js';
import { accessOrder } from '../workload/access.js';
import { objectSizes } from '../workload/sizes.js';
import { Claims } from './claims.js';
import { watchFlow } from './data-flow.js';
import { GroupClaims } from './group-claims.js';
import { MixedClaims } from './mixed-claims.js';
import { OpenLoop } from './open-loop.js';
import { OperationParts } from './operation-parts.js';
import { runPool } from './run-concurrently.js';
import { StageWatch, abandonedError } from './stage-watch.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { Alarm } from './alarm.js'
 * @import { Pacing } from './arrivals.js'
 * @import { Budget } from './budget.js'
 * @import { AccessOrder } from './claims.js'
 * @import { MeasuredSecond } from './second-merger.js'
 * @import { FatalError, TimeLimit } from './stage-watch.js'
 * @import { BucketMeter } from '../meter/bucket-meter.js'
 * @import { Windows } from '../meter/window-counts.js'
 * @import { StageEnd } from '../model/result.js'
 * @import { MultipartConfig } from '../model/config.js'
 * @import { ConnectionSnapshot, DataFlow, StageSnapshot } from '../model/run-events.js'
 * @import { AccessPattern, SizeDistribution } from '../model/config.js'
 * @import { Workload } from '../operations/operation.js'
 * @import { UploadStep } from '../operations/multipart.js'
 * @import { Stage, StageKind } from '../operations/stage.js'
 * @import { ObjectConnection } from '../s3/object-store.js'
 * @import { RetryHooks } from '../s3/retry.js'
 * @import { ObjectGroups } from '../workload/object-groups.js'
 */

const PROGRESS_INTERVAL_MS = 250;

/** An upload is aborted after its stage has ended, and has this long for it; clean-up looks for what is left. */
const ABORTING_TIME_MS = 2000;

/**
 * @typedef {object} Engine what all stages of a run share
 * @property {Clock} clock
 * @property {() => number} random uniform in [0, 1)
 * @property {string} runId from which the objects' sizes and the order of a stage's kinds are drawn
 * @property {Omit<Workload, 'sizeOf'>} workload
 * @property {readonly ObjectConnection[]} connections one for each thread
 * @property {readonly ObjectConnection[]} [partConnections] further ones where objects are written in parts: as many for each
 *   thread, so that it can send so many parts at a time
 * @property {MultipartConfig} [multipart] how objects are written in parts; absent where none is
 * @property {number} maxAttempts of an operation
 * @property {number} stallTimeout ms without a success after which a stage ends
 * @property {Pick<Alarm, 'waitUntil' | 'endAll'> | null} alarm null where there is no open loop
 * @property {(() => ConnectionSnapshot) | null} [lookAtConnections] absent or null where nobody asked for snapshots of a stage
 */

/**
 * What becomes known while a stage runs.
 *
 * @typedef {object} StageHooks
 * @property {(second: MeasuredSecond) => void} second one is over
 * @property {(kind: string, advice: string, refused: boolean) => void} retrying an operation is tried again, after an error of
 *   that kind; the advice is empty where there is none; refused is whether the store asked for fewer requests by it
 * @property {(message: string) => void} integrityError
 * @property {(operation: GivenUpOperation, message: string) => void} failed an operation is given up
 * @property {(done: number, flow: DataFlow) => void} progress so many operations have come to an
 *   end; reported from time to time
 * @property {(snapshot: StageSnapshot) => void} [snapshot] what the stage has come to so far, each second where somebody asked
 *   for it
 *
 * @typedef {{ bucket: string, key: string, attempts: number }} GivenUpOperation
 */

/**
 * How a stage is driven, in plain values.
 *
 * @typedef {object} Load
 * @property {number} threads how many of all threads take part
 * @property {number} size bytes; of the largest objects, where not all are of one size
 * @property {SizeDistribution} [sizes] where not all are of one size
 * @property {AccessPattern} [access] of operations that read single objects; one after the other where it is absent
 * @property {SharedArrayBuffer} [seen] see seenMemory: a bit for each kind and object, where the first reads of objects are told
 *   apart from repeated ones
 * @property {Pacing | null} pacing of an open loop; null for a closed one, in which a thread starts
 *   its next operation when the one before has ended
 * @property {number} warmup ms at the beginning whose operations are in no rate and no percentile
 * @property {readonly number[]} [bucketStarts] the first buckets, which alone take part, in turn: how many objects of each come
 *   before those of the stage; absent where all buckets take part
 * @property {number} [mixedObjects] of a stage that rewrites objects: how many there are
 * @property {Windows | null} windows in which operations are counted in addition to seconds
 */

/**
 * What a stage came to on one worker, with the meters that counted it.
 *
 * @typedef {object} MeteredStage
 * @property {StageEnd} end
 * @property {FatalError | null} fatal
 * @property {number} startedAt monotonic ms
 * @property {number} endedAt monotonic ms
 * @property {StageMeters} meters
 * @property {BucketMeter[] | null} buckets null where there is only one
 * @property {OperationParts | null} parts null where none are told apart
 * @property {number} waited ms that operations waited for an object that may be written, all together
 */

/**
 * Runs one stage on one worker, from the first operation to the last.
 *
 * @param {Stage} stage
 * @param {object} options
 * @param {Engine} options.engine
 * @param {Load} options.load
 * @param {Budget} options.budget
 * @param {ObjectGroups | null} [options.groups] of a stage whose operations are about several objects
 * @param {TimeLimit | null} [options.limit]
 * @param {AbortSignal} options.signal stops the stage: what is under way is given a while to settle
 * @param {StageHooks} options.hooks
 * @returns {Promise<MeteredStage>}
 */
export async function runStage(stage, { engine, load, budget, groups = null, limit = null, signal, hooks }) {
  const { clock, alarm, runId } = engine;
  const { size, sizes } = load;
  const { listed = null } = engine.workload;
  const sizeOf = listed?.sizeOf ?? objectSizes({ runId, size, sizes });
  // In a run that writes its objects again, the first writes have a version, too.
  const tellsVersions = engine.workload.mixed && (stage.rewrites || stage.creates);
  const kinds = tellsVersions ? kindsOfVersions(stage.kinds) : stage.kinds;
  const workload = { ...engine.workload, sizeOf };
  const threadConnections = engine.connections.slice(0, load.threads);
  const lanes = takesParts(stage, load, engine.multipart) ? lanesOf(threadConnections, engine) : null;
  const connections = lanes === null ? threadConnections : lanes.flat();
  const pauses = new Pauses();
  const startedAt = clock.now();
  const measuredUntil = limit?.measuresDrain ? undefined : limit?.stopsAt;
  const measured = { measuredFrom: startedAt + load.warmup, measuredUntil, clock };
  const meters = new StageMeters(stage.kinds.length, clock, startedAt, { ...measured, windows: load.windows });
  const buckets = bucketMeters(engine.workload.keyspace.buckets.length, measured);
  const parts = OperationParts.of(stage, { load, budget, measured });
  const snapshot = snapshotTaker(stage, { engine, meters, buckets, connections });
  const onSecond = (/** @type {ReturnType<StageMeters['at']>} */ count) => {
    hooks.second({ ...count, latencies: meters.takeSecond(count.secondStart) });
    if (snapshot !== null) {
      hooks.snapshot?.(snapshot());
    }
  };
  const sampler = new SecondSampler({ clock, counts: meters, startedAt, onSecond });
  const { pacing } = load;
  if (pacing !== null && alarm === null) {
    throw new RangeError('expected an alarm, which an open loop needs');
  }
  const openLoop = pacing && alarm && new OpenLoop({ pacing, startedAt, clock, budget, alarm });
  const closeWork = () => (openLoop ?? budget).close();
  const watch = new StageWatch({
    clock,
    meters,
    connections,
    stallTimeout: engine.stallTimeout,
    signal,
    budget,
    limit,
    backlog: () => openLoop?.backlog() ?? 0,
    wasIdle: () => openLoop?.wasIdle() ?? false,
    onTimeUp: closeWork,
    onEarlyStop(moment) {
      meters.measureUntil(moment);
      buckets?.forEach((meter) => meter.measureUntil(moment));
      parts?.measureUntil(moment);
    },
    onStop() {
      closeWork();
      pauses.endAll();
    },
  });
  /** @type {Retrier<OperationRecord | UploadStep>} */
  const retrier = new Retrier({
    maxAttempts: engine.maxAttempts,
    now: clock.now,
    random: engine.random,
    pauses,
    signal: watch.stopped,
    hooks: retryHooks(meters, buckets, hooks),
  });
  const failed = failureCounter(meters, buckets, hooks, watch);
  const missed = listed === null ? failed : foreignCounter(meters, failed);
  const { bucketStarts } = load;
  const order = orderOf(load, budget, engine);
  const claims =
    groups === null
      ? new Claims({ kinds }, { workload, budget, meters, order, bucketStarts, seed: `kinds of ${runId}` })
      : new GroupClaims(stage, { workload, budget, meters, groups });
  const uploaders = lanes === null ? null : uploadersOf(threadConnections, lanes, { engine, retrier, meters, watch });
  const perform = async (/** @type {OperationRecord} */ record) => {
    const meter = meters.kinds[record.kind];
    parts?.begins(record);
    try {
      if (uploaders !== null && record.operation.canTakeParts && isInParts(record.size, engine.multipart)) {
        await uploaders.get(record.connection)?.write(record, clock.now());
        meter.uploaded(record, record.size);
      } else {
        await retrier.run(record);
        meter.succeeded(record, record.movedBytes);
      }
      parts?.succeeded(record);
      if (buckets !== null) {
        buckets[record.slot].succeeded(record);
      }
      if (groups !== null) {
        meter.keys += record.locals.length;
      }
      if (listed !== null) {
        meter.sizeOnly += Number(record.isSizeOnly);
      }
      // Of an object that is rightly not there, an answer need not have begun.
      if (record.operation.receives && record.connection.answeredAt >= record.attemptStartedAt) {
        meter.answered(record.connection.answeredAt - record.attemptStartedAt, record.finishedAt);
      }
    } catch (error) {
      missed(record, error);
    }
    meter.unknownOutcomes += Number(record.outcomeUnknown && record.isWrite);
  };
  const isOver = () => watch.stopped.aborted || budget.isClosed;
  const mixed = stage.rewrites
    ? mixedWork(kinds, {
        ...{ workload, budget, load, clock, runId, pauses, perform, isOver },
        skipped({ kind }) {
          meters.kinds[kind].skipped += 1;
        },
      })
    : null;
  const work = mixed ?? { claims, perform };

  const flow = watchFlow(connections);
  const progress = setInterval(() => hooks.progress(meters.done, flow()), PROGRESS_INTERVAL_MS);
  sampler.start();
  watch.start();
  let endedAt;
  try {
    await runPool({
      threads: threadConnections.map((connection) => new OperationRecord(kinds[0].operation, workload, connection)),
      ...(openLoop === null
        ? { claim: (record) => work.claims.next(record), work: work.perform }
        : openLoop.work({ ...work, meters })),
    });
  } finally {
    clearInterval(progress);
    watch.stop();
    endedAt = clock.now();
    sampler.stop(endedAt);
  }
  const waited = mixed === null ? 0 : mixed.waited();
  return { end: watch.end, fatal: watch.fatal, startedAt, endedAt, meters, buckets, parts, waited };
}

/**
 * Each host draws among the objects of its own shard.
 *
 * @param {Load} load
 * @param {Budget} budget
 * @param {Engine} engine
 * @returns {AccessOrder | null} null where all objects come one after the other
 */
export function orderOf({ access }, { objects }, { runId, workload: { shard } }) {
  return access === undefined || access.kind === 'sequential'
    ? null
    : accessOrder({ access, objects, seed: `shard ${shard.index} of ${runId}` });
}

/**
 * Operations that may have to wait for an object, of a stage that rewrites objects.
 *
 * @param {readonly StageKind[]} kinds
 * @param {object} options
 * @param {Workload} options.workload
 * @param {Budget} options.budget
 * @param {Load} options.load
 * @param {Clock} options.clock
 * @param {string} options.runId
 * @param {Pauses} options.pauses
 * @param {(record: OperationRecord) => Promise<void>} options.perform an operation that has its object
 * @param {(record: OperationRecord) => void} options.skipped there is no object for the operation
 * @param {() => boolean} options.isOver whether no operation is to be begun any more
 */
function mixedWork(kinds, { workload, budget, load, clock, runId, pauses, perform, skipped, isOver }) {
  const { mixed = null } = workload;
  const { mixedObjects, access } = load;
  if (mixed === null || mixedObjects === undefined) {
    throw new RangeError('expected to know the objects of a stage that rewrites them');
  }
  const { now } = clock;
  const claims = new MixedClaims(kinds, {
    ...{ workload: { ...workload, mixed }, budget, objects: mixedObjects, access, now, seed: runId },
  });
  let waited = 0;
  return {
    claims,
    waited: () => waited,
    async perform(/** @type {OperationRecord} */ record) {
      let wait = claims.place(record, 0);
      for (let round = 1; wait > 0; round++) {
        const since = now();
        await pauses.wait(wait);
        waited += now() - since;
        if (isOver()) {
          return;
        }
        wait = claims.place(record, round);
      }
      if (wait < 0) {
        skipped(record);
        return;
      }
      await perform(record);
      claims.done(record);
    },
  };
}

/**
 * @param {Stage} stage
 * @param {object} watched
 * @param {Engine} watched.engine
 * @param {StageMeters} watched.meters
 * @param {BucketMeter[] | null} watched.buckets
 * @param {readonly ObjectConnection[]} watched.connections
 * @returns {(() => StageSnapshot) | null} null where nobody asked for it
 */
export function snapshotTaker(
  { kinds },
  { engine: { lookAtConnections = null, workload }, meters, buckets, connections },
) {
  if (lookAtConnections === null) {
    return null;
  }
  let loop = measureEventLoop();
  return () => {
    const utilization = loop();
    loop = measureEventLoop();
    const ofKinds = kinds.map(({ operation }, kind) => meters.kinds[kind].snapshot(operation.name));
    const ofBuckets = workload.keyspace.buckets.map((bucket, slot) => ({ bucket, meter: buckets?.[slot] ?? null }));
    return {
      isFinal: false,
      kinds: ofKinds,
      // With many buckets, their histograms would take too long each second.
      buckets: bucketSnapshots(ofBuckets, ofKinds, false),
      connections: lookAtConnections(),
      inFlight: connections.reduce((sum, { startedAt }) => sum + Number(startedAt !== 0), 0),
      loops: [utilization],
    };
  };
}

/**
 * @param {Stage} stage
 * @param {Load} load
 * @param {MultipartConfig | undefined} multipart
 * @returns {boolean} whether some of its objects are sent in parts
 */
function takesParts({ kinds }, { size }, multipart) {
  return kinds.some(({ operation }) => operation.canTakeParts) && isInParts(size, multipart);
}

/**
 * @param {readonly ObjectConnection[]} threadConnections of the threads that take part
 * @param {Engine} engine
 * @returns {ObjectConnection[][]} for each of those threads the connections over which it sends parts, its own first
 */
function lanesOf(threadConnections, { connections, partConnections = [] }) {
  const further = partConnections.length / connections.length;
  return threadConnections.map((connection, thread) => [
    connection,
    ...partConnections.slice(thread * further, (thread + 1) * further),
  ]);
}

/**
 * @param {readonly ObjectConnection[]} threadConnections
 * @param {readonly ObjectConnection[][]} lanes
 * @param {object} context
 * @param {Engine} context.engine
 * @param {Retrier<OperationRecord | UploadStep>} context.retrier
 * @param {StageMeters} context.meters
 * @param {StageWatch} context.watch
 * @returns {ReadonlyMap<ObjectConnection, Uploader>} by the connection of their thread
 */
function uploadersOf(threadConnections, lanes, { engine, retrier, meters, watch }) {
  const multipart = /** @type {MultipartConfig} */ (engine.multipart);
  const context = {
    async send(/** @type {UploadStep} */ step) {
      const isLate = step.isAbort && watch.stopped.aborted;
      const cutOff = () => step.connection.abort(abandonedError());
      const timer = isLate ? setTimeout(cutOff, ABORTING_TIME_MS) : undefined;
      try {
        await retrier.run(step);
      } finally {
        clearTimeout(timer);
      }
      // The last one is counted as the operation's.
      if (!step.completes) {
        meters.kinds[step.kind].stepSucceeded(step);
      }
    },
    mayGoOn() {
      if (watch.stopped.aborted) {
        throw abandonedError();
      }
    },
  };
  return new Map(
    threadConnections.map((connection, thread) => [connection, new Uploader(lanes[thread], multipart, context)]),
  );
}

/**
 * @param {StageMeters} meters
 * @param {BucketMeter[] | null} buckets
 * @param {StageHooks} hooks
 * @returns {RetryHooks<OperationRecord | UploadStep>}
 */
export function retryHooks(meters, buckets, hooks) {
  return {
    attemptFailed(error, { kind, slot, attemptStartedAt, finishedAt }) {
      const meter = meters.kinds[kind];
      meter.attemptFailed(error.kind, finishedAt - attemptStartedAt, finishedAt);
      meter.throttled += Number(isRefused(error));
      // The end of the stage cut it off: it did not fail.
      if (error.kind !== ABANDONED) {
        meter.seconds.addFailure(finishedAt, isRefused(error));
      }
      meter.unsent += Number(!error.sent);
      if (buckets !== null) {
        buckets[slot].failedAttempts += Number(error.kind !== ABANDONED);
        buckets[slot].throttled += Number(isRefused(error));
      }
    },
    retrying(error, { kind }) {
      meters.kinds[kind].retries += 1;
      hooks.retrying(error.kind, error.wasMoving ? error.message : '', isRefused(error));
    },
  };
}

/**
 * Others may delete, replace and archive what was in the bucket before the run: that is no failure of the store.
 *
 * @param {StageMeters} meters
 * @param {(record: OperationRecord, error: unknown) => void} failed what is done about all else
 * @returns {(record: OperationRecord, error: unknown) => void}
 */
function foreignCounter(meters, failed) {
  return (record, error) => {
    const meter = meters.kinds[record.kind];
    const kind = error instanceof AttemptError ? error.kind : null;
    if (kind !== NOT_FOUND && kind !== CHANGED && kind !== ARCHIVED) {
      failed(record, error);
      return;
    }
    meter.vanished += Number(kind === NOT_FOUND);
    meter.changed += Number(kind === CHANGED);
    meter.archived += Number(kind === ARCHIVED);
    meter.gaveUp(record, record.finishedAt);
  };
}

/**
 * @param {StageMeters} meters
 * @param {BucketMeter[] | null} buckets
 * @param {StageHooks} hooks
 * @param {StageWatch} watch
 * @returns {(record: OperationRecord, error: unknown) => void} what is done about an operation that did not succeed
 */
export function failureCounter(meters, buckets, hooks, watch) {
  return (record, error) => {
    const { kind, slot, attemptStartedAt, finishedAt } = record;
    const meter = meters.kinds[kind];
    if (error instanceof AttemptError && error.handling === 'retry' && watch.stopped.aborted) {
      meter.abandoned += 1;
      // An attempt that was cut off might have succeeded: only the time before it was lost.
      meter.gaveUp(record, error.kind === ABANDONED ? attemptStartedAt : finishedAt);
      return;
    }
    if (buckets !== null) {
      buckets[slot].failed += 1;
      buckets[slot].failedAttempts += Number(error instanceof IntegrityError);
    }
    if (error instanceof IntegrityError) {
      meter.attemptFailed('integrity', finishedAt - attemptStartedAt, finishedAt);
      meter.seconds.addFailure(finishedAt, false);
      meter.integrityErrors += 1;
      meter.versionError(error.versionError);
      hooks.integrityError(error.message);
    } else if (!(error instanceof AttemptError) || error.handling === 'stop') {
      meter.failed += 1;
      watch.fail({ error, bucket: record.bucket, operation: record.operation.name });
    } else {
      meter.failed += 1;
      meter.gaveUp(record, finishedAt);
      hooks.failed(record, error.message);
    }
  };
}
