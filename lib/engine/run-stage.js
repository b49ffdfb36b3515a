import { SecondSampler } from '../meter/second-sampler.js';
import { StageMeter } from '../meter/stage-meter.js';
import { Pauses } from '../s3/pauses.js';
import { Retrier, isThrottled } from '../s3/retry.js';
import { AttemptError } from '../s3/s3-error.js';
import { IntegrityError } from '../stages/index.js';
import { Operation } from './operation.js';
import { StageWatch } from './stage-watch.js';
import { runPool } from './worker-pool.js';

const PROGRESS_INTERVAL_MS = 250;

/**
 * @typedef {object} Engine what all stages of a run share
 * @property {import('../meter/clock.js').Clock} clock
 * @property {() => number} random uniform in [0, 1)
 * @property {import('../stages/stage.js').Workload} workload
 * @property {readonly import('../s3/object-store.js').ObjectConnection[]} connections one for each thread
 * @property {number} mostAttempts of an operation
 * @property {number} longestDrought ms without a success after which a stage ends
 */

/**
 * What becomes known while a stage runs.
 *
 * @typedef {object} StageHooks
 * @property {(second: import('../meter/second-counts.js').SecondCount) => void} second one is over
 * @property {() => void} retrying an operation is tried again
 * @property {(message: string) => void} integrityError
 * @property {(operation: GivenUpOperation, message: string) => void} failed an operation is given up
 * @property {(done: number) => void} progress so many operations have come to an end; told from time to time
 *
 * @typedef {{ bucket: string, key: string, attempts: number }} GivenUpOperation
 */

/**
 * How a stage ended: all its work done, on request, because nothing succeeded any more, or by an error after which no
 * operation of the run can succeed.
 *
 * @typedef {'complete' | 'stopped' | 'stalled' | 'fatal'} StageEnd
 */

/**
 * @typedef {object} StageOutcome
 * @property {StageEnd} end
 * @property {import('./stage-watch.js').FatalError | null} fatal
 * @property {number} startedAt monotonic ms
 * @property {number} endedAt monotonic ms
 * @property {StageMeter} meter
 */

/**
 * Runs one stage on one core, from the first operation to the last.
 *
 * @param {import('../stages/stage.js').Stage} stage
 * @param {object} options
 * @param {Engine} options.engine
 * @param {import('./budget.js').Budget} options.budget
 * @param {import('./stage-watch.js').TimeLimit | null} [options.limit]
 * @param {AbortSignal} options.signal stops the stage: what is under way is given a while to settle
 * @param {StageHooks} options.hooks
 * @returns {Promise<StageOutcome>}
 */
export async function runStage(stage, { engine, budget, limit = null, signal, hooks }) {
  const { clock, workload, connections } = engine;
  const pauses = new Pauses();
  const startedAt = clock.now();
  const meter = new StageMeter(clock, startedAt);
  const sampler = new SecondSampler({ clock, counts: meter.seconds, startedAt, onSecond: hooks.second });
  const watch = new StageWatch({
    clock,
    meter,
    connections,
    longestDrought: engine.longestDrought,
    signal,
    budget,
    limit,
    onTimeUp: () => budget.close(),
    onStop: () => stopWork(budget, pauses),
  });
  const retrier = new Retrier({
    mostAttempts: engine.mostAttempts,
    now: clock.now,
    random: engine.random,
    pauses,
    signal: watch.stopped,
    hooks: retryHooks(meter, hooks),
  });
  const finish = finisher(meter, hooks, watch);

  const progress = setInterval(() => hooks.progress(meter.done), PROGRESS_INTERVAL_MS);
  sampler.start();
  watch.start();
  let endedAt;
  try {
    await runPool({
      threads: connections.map((connection) => new Operation(stage, workload, connection)),
      claim: claimer(stage, workload, budget, meter),
      work: async (operation, place) => {
        operation.take(place);
        try {
          await retrier.run(operation);
          meter.succeeded(operation, operation.size);
        } catch (error) {
          finish(operation, error);
        }
        meter.unknownOutcomes += Number(operation.outcomeUnknown && stage.isWrite);
      },
    });
  } finally {
    clearInterval(progress);
    watch.stop();
    endedAt = clock.now();
    sampler.stop(endedAt);
  }
  return { end: watch.end, fatal: watch.fatal, startedAt, endedAt, meter };
}

/**
 * An object that Write did not write is passed over without an attempt. Where the objects go round, it would be passed
 * over in each round: there it is no work that was skipped.
 *
 * @param {import('../stages/stage.js').Stage} stage
 * @param {import('../stages/stage.js').Workload} workload
 * @param {import('./budget.js').Budget} budget
 * @param {StageMeter} meter
 * @returns {() => number} the place of the next object to work on, or -1
 */
function claimer({ needsObject }, { written, wroteObjects }, budget, meter) {
  if (!needsObject || !wroteObjects) {
    return () => budget.claim();
  }
  if (budget.goesRound && written.count === 0) {
    return () => -1;
  }
  return () => {
    let place = budget.claim();
    while (place >= 0 && !written.has(place)) {
      meter.skipped += Number(!budget.goesRound);
      place = budget.claim();
    }
    return place;
  };
}

/**
 * @param {import('./budget.js').Budget} budget
 * @param {Pauses} pauses
 */
function stopWork(budget, pauses) {
  budget.close();
  pauses.endAll();
}

/**
 * @param {StageMeter} meter
 * @param {StageHooks} hooks
 * @returns {import('../s3/retry.js').RetryHooks}
 */
function retryHooks(meter, hooks) {
  return {
    attemptFailed(error, latency) {
      meter.attemptFailed(error.kind, latency);
      meter.throttled += Number(isThrottled(error));
    },
    retrying() {
      meter.retries += 1;
      hooks.retrying();
    },
  };
}

/**
 * @param {StageMeter} meter
 * @param {StageHooks} hooks
 * @param {StageWatch} watch
 * @returns {(operation: Operation, error: unknown) => void} what is done about an operation that did not succeed
 */
function finisher(meter, hooks, watch) {
  return (operation, error) => {
    if (error instanceof IntegrityError) {
      meter.attemptFailed('integrity', operation.finishedAt - operation.attemptStartedAt);
      meter.integrityErrors += 1;
      hooks.integrityError(error.message);
    } else if (!(error instanceof AttemptError) || error.verdict === 'stop') {
      meter.failed += 1;
      watch.fail({ error, bucket: operation.bucket });
    } else if (watch.stopped.aborted && error.verdict === 'retry') {
      meter.abandoned += 1;
    } else {
      meter.failed += 1;
      hooks.failed(operation, error.message);
    }
  };
}
