import { Pauses, Retrier } from '../s3/retry.js';
import { kindsOfVersions } from '../operations/stage.js';
import { objectSizes } from '../workload/sizes.js';
import { billOf } from './bill.js';
import { claimsFor } from './claims-for.js';
import { ClosedLoop } from './closed-loop.js';
import { OpenLoop } from './open-loop.js';
import { Recorder } from './recorder.js';
import { sendByConnection } from './send-by-connection.js';
import { snapshotTaker } from './snapshots.js';
import { StageWatch } from './stage-watch.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { Purse } from '../cost/purse.js'
 * @import { BucketMeter } from '../meter/bucket-meter.js'
 * @import { SecondFeedOptions } from '../meter/second-feed.js'
 * @import { StageMeters } from '../meter/stage-meter.js'
 * @import { Windows } from '../meter/window-counts.js'
 * @import { AccessPattern, MultipartConfig, SizeDistribution } from '../model/config.js'
 * @import { StageEnd } from '../model/result.js'
 * @import { ConnectionSnapshot, DataFlow, StageSnapshot } from '../model/run-events.js'
 * @import { UploadStep } from '../operations/multipart.js'
 * @import { OperationRecord } from '../operations/operation-record.js'
 * @import { Workload } from '../operations/operation.js'
 * @import { Stage, StageKind } from '../operations/stage.js'
 * @import { ObjectConnection } from '../s3/object-store.js'
 * @import { ObjectGroups } from '../workload/object-groups.js'
 * @import { Alarm } from './alarm.js'
 * @import { Pacing } from './arrivals.js'
 * @import { Budget } from './budget.js'
 * @import { StageClaims } from './claims-for.js'
 * @import { OperationParts } from './operation-parts.js'
 * @import { CountSuccess } from './recorder.js'
 * @import { MeasuredSecond } from './second-merger.js'
 * @import { FatalError, TimeLimit } from './stage-watch.js'
 */

// A stage on one worker. What to do next: its claims (claims-for.js). When: its loop (closed-loop.js, open-loop.js). How: its
// sender (send-by-connection.js). Recorded by: its recorder (recorder.js). All are chosen before the first operation.

const PROGRESS_INTERVAL_MS = 250;

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
 * @property {Purse | null} [purse] that pays for the operations; absent or null if they may cost what they will
 * @property {number} stallTimeout ms without a success after which a stage ends
 * @property {Pick<Alarm, 'waitUntil' | 'endAll'> | null} alarm null where there is no open loop
 * @property {(() => ConnectionSnapshot) | null} [lookAtConnections] absent or null where nobody asked for snapshots of a stage
 * @property {boolean} [readsCache] whether a cache may answer reads
 * @property {(stage: Stage, load: Load, engine: Engine) => Sender} [send] how operations are sent; over connections without
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
 * How the operations of a stage are sent.
 *
 * @typedef {object} Sender
 * @property {readonly ObjectConnection[]} connections that carry them: what is under way there is cut off when the stage has to end
 * @property {CountSuccess} countSuccess
 * @property {(workload: Workload) => Workload['written']} [there] what is there for the next operation; what was written without
 * @property {(setup: StageSetup) => Sending} begin
 *
 * @typedef {object} Sending
 * @property {() => Promise<void>} run performs one operation after the other until there are no more
 * @property {{ start: () => void, stop: (endedAt: number) => void }} seconds hands on each second that is over
 * @property {() => { done: number, flow: DataFlow }} progress
 */

/**
 * What a stage is made of. It is chosen once, before the first operation.
 *
 * @typedef {object} StageSetup
 * @property {Stage} stage
 * @property {readonly StageKind[]} kinds of the stage; those with version checks if `tellsVersions`
 * @property {boolean} tellsVersions whether what is written and read has versions
 * @property {Engine} engine
 * @property {Clock} clock
 * @property {Load} load
 * @property {Budget} budget
 * @property {TimeLimit | null} limit
 * @property {Workload} workload
 * @property {StageClaims} claims what to do next
 * @property {ClosedLoop | OpenLoop} loop when to do it
 * @property {Recorder} recorder
 * @property {Pauses} pauses
 * @property {StageWatch} watch
 * @property {Retrier<OperationRecord | UploadStep>} retrier
 * @property {SecondFeedOptions} seconds
 * @property {() => boolean} isOver whether no further operation may begin
 * @property {(record: OperationRecord, firstWait: number) => Promise<boolean>} waitForObject waits until an operation has its
 *   object, and says whether it has one
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
 * @property {ObjectGroups | null} [groups] of a stage whose operations are about several objects
 * @property {readonly (ObjectGroups | null)[]} [kindGroups] of a stage of several kinds, by kind
 * @property {TimeLimit | null} [limit]
 * @property {AbortSignal} signal stops the stage: what is under way is given a while to settle
 * @property {StageHooks} hooks
 */
export async function runStage(stage, options) {
  const { engine, load, hooks } = options;
  const { send = sendByConnection } = engine;
  const sender = send(stage, load, engine);
  const setup = setUp(stage, sender, options);
  const {
    clock,
    watch,
    recorder,
    seconds: { startedAt },
  } = setup;
  const { run, seconds, progress } = sender.begin(setup);
  const reporting = setInterval(() => {
    const { done, flow } = progress();
    hooks.progress(done, flow);
  }, PROGRESS_INTERVAL_MS);
  seconds.start();
  watch.start();
  let endedAt;
  try {
    await run();
  } finally {
    clearInterval(reporting);
    watch.stop();
    endedAt = clock.now();
    seconds.stop(endedAt);
  }
  const { meters, buckets, parts, waited } = recorder;
  return { end: watch.end, fatal: watch.fatal, startedAt, endedAt, meters, buckets, parts, waited };
}

/**
 * @param {Stage} stage
 * @param {Sender} sender
 * @param {StageOptions} options
 * @returns {StageSetup}
 */
function setUp(stage, sender, { engine, load, budget, groups = null, kindGroups, limit = null, signal, hooks }) {
  const { clock, random, runId, maxAttempts, stallTimeout } = engine;
  const { size, sizes } = load;
  const { listed, mixed } = engine.workload;
  // If the run writes its objects again, the first writes also have a version.
  const tellsVersions = Boolean(mixed) && (stage.rewrites || stage.creates);
  const kinds = tellsVersions ? kindsOfVersions(stage.kinds) : stage.kinds;
  const workload = { ...engine.workload, sizeOf: listed?.sizeOf ?? objectSizes({ runId, size, sizes }) };
  const { connections, countSuccess, there = () => workload.written } = sender;
  const pauses = new Pauses();
  const startedAt = clock.now();
  const recorder = new Recorder(stage, { engine, load, budget, limit, startedAt, hooks, countSuccess });
  const { meters } = recorder;
  const loop = loopFor(load, { engine, startedAt, budget });
  const watch = new StageWatch({
    ...{ clock, meters, connections, stallTimeout, signal, budget, limit },
    backlog: () => loop.backlog(),
    wasIdle: () => loop.wasIdle(),
    onTimeUp: () => loop.close(),
    onEarlyStop: (moment) => recorder.measureUntil(moment),
    onStop() {
      loop.close();
      pauses.endAll();
    },
  });
  recorder.watchedBy(watch);
  const { now } = clock;
  const bill = billOf(kinds, { engine, load, onEmpty: () => watch.outOfMoney() });
  const retrier = new Retrier({
    ...{ maxAttempts, now, random, pauses },
    signal: watch.stopped,
    mayRetry: bill.mayRetry,
    hooks: recorder.retryHooks(),
  });
  const isOver = () => watch.stopped.aborted || budget.isClosed;
  const claims = bill.paid(
    claimsFor(stage, {
      ...{ kinds, workload, budget, meters, groups, kindGroups, load, now, runId },
      there: there(workload),
    }),
  );
  const takeSnapshot = snapshotTaker(stage, { engine, recorder, connections });
  return {
    ...{ stage, kinds, tellsVersions, engine, clock, load, budget, limit, workload },
    ...{ claims, loop, recorder, pauses, watch, retrier, isOver },
    seconds: {
      counts: meters,
      startedAt,
      onSecond(count) {
        hooks.second({ ...count, latencies: meters.takeSecond(count.secondStart) });
        takeSnapshot.forEach((take) => hooks.snapshot?.(take()));
      },
    },
    async waitForObject(record, firstWait) {
      let wait = firstWait;
      for (let round = 1; wait > 0; round++) {
        const since = now();
        await pauses.wait(wait);
        recorder.waited += now() - since;
        if (isOver()) {
          return false;
        }
        wait = claims.place(record, round);
      }
      if (wait < 0) {
        recorder.skipped(record);
      }
      return wait === 0;
    },
  };
}

/**
 * @param {Load} load
 * @param {{ engine: Engine, startedAt: number, budget: Budget }} context
 * @returns {ClosedLoop | OpenLoop}
 */
function loopFor({ pacing }, { engine: { clock, alarm }, startedAt, budget }) {
  if (pacing === null) {
    return new ClosedLoop(budget);
  }
  if (alarm === null) {
    throw new RangeError('expected an alarm, which an open loop needs');
  }
  return new OpenLoop({ pacing, startedAt, clock, budget, alarm });
}
