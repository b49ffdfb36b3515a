import { SecondSampler } from '../meter/second-sampler.js';
import { StageMeter } from '../meter/stage-meter.js';
import { Pauses } from '../s3/pauses.js';
import { Retrier } from '../s3/retry.js';
import { claimObjects } from './claim-objects.js';
import { watchFlow } from './data-flow.js';
import { OpenLoop } from './open-loop.js';
import { failureCounter, retryHooks } from './operation-ends.js';
import { Operation } from './operation.js';
import { StageWatch } from './stage-watch.js';
import { runPool } from './worker-pool.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { Alarm } from './alarm.js'
 * @import { Pacing } from './arrivals.js'
 * @import { Budget } from './budget.js'
 * @import { MeasuredSecond } from './second-merger.js'
 * @import { FatalError, TimeLimit } from './stage-watch.js'
 * @import { Windows } from '../meter/window-counts.js'
 * @import { SecondCount, StageEnd } from '../model/result.js'
 * @import { DataFlow } from '../model/run-events.js'
 * @import { Stage, Workload } from '../operations/operation.js'
 * @import { ObjectConnection } from '../s3/object-store.js'
 */

const PROGRESS_INTERVAL_MS = 250;

/**
 * @typedef {object} Engine what all stages of a run share
 * @property {Clock} clock
 * @property {() => number} random uniform in [0, 1)
 * @property {Workload} workload
 * @property {readonly ObjectConnection[]} connections one for each thread
 * @property {number} mostAttempts of an operation
 * @property {number} longestDrought ms without a success after which a stage ends
 * @property {Pick<Alarm, 'waitUntil' | 'endAll'> | null} alarm null where there is no open loop
 */

/**
 * What becomes known while a stage runs.
 *
 * @typedef {object} StageHooks
 * @property {(second: MeasuredSecond) => void} second one is over
 * @property {(kind: string, advice: string) => void} retrying an operation is tried again, after an error of that kind;
 *   the advice is empty where there is none
 * @property {(message: string) => void} integrityError
 * @property {(operation: GivenUpOperation, message: string) => void} failed an operation is given up
 * @property {(done: number, flow: DataFlow) => void} progress so many operations have come to an
 *   end; told from time to time
 *
 * @typedef {{ bucket: string, key: string, attempts: number }} GivenUpOperation
 */

/**
 * How a stage is driven, in plain values.
 *
 * @typedef {object} Load
 * @property {number} threads how many of all threads take part
 * @property {number} objectSize bytes
 * @property {Pacing | null} pacing of an open loop; null for a closed one, in which a thread starts
 *   its next operation when the one before has ended
 * @property {number} warmup ms at the beginning whose operations are in no rate and no percentile
 * @property {Windows | null} windows in which operations are counted beside the seconds
 */

/**
 * What a stage came to on one core, with the meter that counted it.
 *
 * @typedef {object} MeteredStage
 * @property {StageEnd} end
 * @property {FatalError | null} fatal
 * @property {number} startedAt monotonic ms
 * @property {number} endedAt monotonic ms
 * @property {StageMeter} meter
 */

/**
 * Runs one stage on one core, from the first operation to the last.
 *
 * @param {Stage} stage
 * @param {object} options
 * @param {Engine} options.engine
 * @param {Load} options.load
 * @param {Budget} options.budget
 * @param {TimeLimit | null} [options.limit]
 * @param {AbortSignal} options.signal stops the stage: what is under way is given a while to settle
 * @param {StageHooks} options.hooks
 * @returns {Promise<MeteredStage>}
 */
export async function runStage(stage, { engine, load, budget, limit = null, signal, hooks }) {
  const { clock, workload, alarm } = engine;
  const connections = engine.connections.slice(0, load.threads);
  const pauses = new Pauses();
  const startedAt = clock.now();
  const measured = { measuredFrom: startedAt + load.warmup, measuredUntil: limit?.stopsAt };
  const meter = new StageMeter(clock, startedAt, { ...measured, windows: load.windows });
  const onSecond = (/** @type {SecondCount} */ count) =>
    hooks.second({ ...count, latencies: meter.takeSecond(count.second) });
  const sampler = new SecondSampler({ clock, counts: meter.seconds, startedAt, onSecond });
  const { pacing } = load;
  if (pacing !== null && alarm === null) {
    throw new RangeError('expected an alarm, which an open loop needs');
  }
  const openLoop = pacing && alarm && new OpenLoop({ pacing, startedAt, clock, budget, alarm });
  const closeWork = () => (openLoop ?? budget).close();
  const watch = new StageWatch({
    clock,
    meter,
    connections,
    longestDrought: engine.longestDrought,
    signal,
    budget,
    limit,
    backlog: () => openLoop?.backlog() ?? 0,
    wasIdle: () => openLoop?.wasIdle() ?? false,
    onTimeUp: closeWork,
    onStop() {
      closeWork();
      pauses.endAll();
    },
  });
  const retrier = new Retrier({
    mostAttempts: engine.mostAttempts,
    now: clock.now,
    random: engine.random,
    pauses,
    signal: watch.stopped,
    hooks: retryHooks(meter, hooks),
  });
  const failed = failureCounter(meter, hooks, watch);
  const claim = claimObjects(stage, workload, budget, meter);
  const perform = async (/** @type {Operation} */ operation, /** @type {number} */ place) => {
    operation.take(place);
    try {
      await retrier.run(operation);
      meter.succeeded(operation, operation.size);
      if (stage.isRead) {
        meter.answered(operation.connection.answeredAt - operation.attemptStartedAt, operation.finishedAt);
      }
    } catch (error) {
      failed(operation, error);
    }
    meter.unknownOutcomes += Number(operation.outcomeUnknown && stage.isWrite);
  };

  const flow = watchFlow(connections);
  const progress = setInterval(() => hooks.progress(meter.done, flow()), PROGRESS_INTERVAL_MS);
  sampler.start();
  watch.start();
  let endedAt;
  try {
    await runPool({
      threads: connections.map((connection) => new Operation(stage, workload, connection, load.objectSize)),
      ...(openLoop === null ? { claim, work: perform } : openLoop.work({ claim, perform, meter })),
    });
  } finally {
    clearInterval(progress);
    watch.stop();
    endedAt = clock.now();
    sampler.stop(endedAt);
  }
  return { end: watch.end, fatal: watch.fatal, startedAt, endedAt, meter };
}
